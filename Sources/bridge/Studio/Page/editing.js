// editing.js: a part of the page.
