import type { Money } from "./money.js";

export interface LineItem {
  readonly sku: string;
  readonly quantity: number;
  readonly unitPrice: Money;
}

export interface Cart {
  readonly id: string;
  readonly items: readonly LineItem[];
}

export function addItem(cart: Cart, item: LineItem): Cart {
  return { ...cart, items: [...cart.items, item] };
}
