/** Of a route that also writes tables and drawings; the page asks it for JSON alone. */
export function asJson<T>(answer: T | string): T {
  if (typeof answer === "string") throw new Error("the hub answered with a text in place of JSON");
  return answer;
}
