/**
 * `make` with its results kept, by the identity of what it is given and for as long as that lives. What `make` throws is
 * not kept. Who hands over an object must not change it afterwards.
 *
 * @internal
 */
export function remembered<T extends object, R>(make: (value: T) => R): (value: T) => R {
  const made = new WeakMap<T, R>();
  return (value) => {
    let result = made.get(value);
    if (result === undefined) made.set(value, (result = make(value)));
    return result;
  };
}
