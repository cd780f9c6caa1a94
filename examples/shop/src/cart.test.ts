import { expect, test } from "vitest";
import { addItem } from "./cart.js";

test("an added item is the last of the cart", () => {
  const item = { sku: "mug", quantity: 1, unitPrice: { minor: 1250, currency: "EUR" } } as const;
  expect(addItem({ id: "c1", items: [] }, item).items.at(-1)).toBe(item);
});
