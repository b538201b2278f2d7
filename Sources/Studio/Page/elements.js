// Finds elements of the page by their ids, and creates new ones.

/**
 * Returns a function that finds an element by its id. The function throws an error if no element of the given class has
 * this id.
 * @template {HTMLElement} Kind
 * @param {() => new () => Kind} kind returns the class of the element.
 * @returns {(id: string) => Kind}
 */
function finder(kind) {
  return (id) => {
    const found = document.getElementById(id);
    if (!(found instanceof kind())) throw new TypeError(`the page has no ${kind().name} with the id ${id}`);
    return found;
  };
}

export const $ = finder(() => HTMLElement);
export const $button = finder(() => HTMLButtonElement);
export const $canvas = finder(() => HTMLCanvasElement);
export const $details = finder(() => HTMLDetailsElement);
export const $dialog = finder(() => HTMLDialogElement);
export const $input = finder(() => HTMLInputElement);
export const $select = finder(() => HTMLSelectElement);
export const $rows = finder(() => HTMLTableSectionElement);

/**
 * Returns the buttons that match a selector.
 * @param {string} selector
 * @param {ParentNode} [within]
 */
export function buttons(selector, within = document) {
  return [.../** @type {NodeListOf<HTMLButtonElement>} */ (within.querySelectorAll(selector))];
}

/**
 * Returns the input fields in an element.
 * @param {ParentNode} within
 */
export function fields(within) {
  return [...within.querySelectorAll("input")];
}

/**
 * Returns the target of an event or its closest ancestor that matches a selector; null if no such element exists.
 * @param {Event} event
 * @param {string} selector
 */
export function closest(event, selector) {
  const found = event.target instanceof Element ? event.target.closest(selector) : null;
  return found instanceof HTMLElement ? found : null;
}

/**
 * Creates an element with properties and children.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} [properties]
 * @param {...(Node|string)} children
 */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Replaces the text of an element if the new text differs from the current text. If equal texts were replaced, the
 * browser would compute the layout of the page for each answer from the tool during a drag.
 * @param {string} id
 * @param {string} text
 */
export function write(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}
