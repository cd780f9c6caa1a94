/** An amount in the smallest unit of its currency: 12.50 EUR is { minor: 1250, currency: "EUR" }. */
export interface Money {
  readonly minor: number;
  readonly currency: "EUR" | "USD";
}

export function add(a: Money, b: Money): Money {
  if (a.currency !== b.currency) {
    throw new RangeError(`cannot add ${b.currency} to ${a.currency}`);
  }
  return { minor: a.minor + b.minor, currency: a.currency };
}
