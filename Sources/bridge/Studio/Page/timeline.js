// timeline.js: a part of the page.
