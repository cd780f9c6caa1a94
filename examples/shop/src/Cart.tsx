import type { Cart } from "./cart.js";

export function CartView({ cart }: { cart: Cart }) {
  return (
    <ul aria-label="Cart">
      {cart.items.map((item) => (
        <li key={item.sku}>
          {item.quantity} × {item.sku}
        </li>
      ))}
    </ul>
  );
}
