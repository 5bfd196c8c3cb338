/** One variable of the peer's functions; absent is a fault of the deployment. */
export const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`the variable ${name} is not set`);
  return value;
};
