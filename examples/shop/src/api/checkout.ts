import type { Cart } from "../cart.js";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export function checkout(cart: Cart): { orderId: string } {
  if (cart.items.length === 0) {
    throw new ApiError(422, "cart_empty", "Add something to the cart first.");
  }
  return { orderId: `order-${cart.id}` };
}
