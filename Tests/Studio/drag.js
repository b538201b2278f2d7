// Drags an event on the page for a few seconds, and returns the times of the frames. `check.py` runs this script in
// Chromium. The arguments are the number of zoom steps before the drag, and a function that receives the times, or null
// if no event can be dragged.

const [steps, done] = arguments;
const FRAMES = 180;
const canvas = document.getElementById("timeline");
const { left, top, width } = canvas.getBoundingClientRect();
const fire = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, {
  clientX: left + x, clientY: top + y, button: 0, buttons: 1, pointerId: 1, pointerType: "mouse", bubbles: true,
}));

/** Returns a position at which the page indicates that an event can be dragged, or null. */
function findEvent() {
  for (let x = width / 2; x < width; x += 2) {
    for (let y = 50; y < 250; y += 5) {
      fire("pointermove", x, y);
      if (canvas.style.cursor === "grab") return [x, y];
    }
  }
  return null;
}

function drag([x, y]) {
  const stamps = [];
  fire("pointerdown", x, y);
  const follow = (now) => {
    stamps.push(now);
    const [to, height] = [x + stamps.length % 60, y + stamps.length % 25];
    if (stamps.length === FRAMES) {
      fire("pointerup", to, height);
      done(stamps);
    } else {
      fire("pointermove", to, height);
      requestAnimationFrame(follow);
    }
  };
  requestAnimationFrame(follow);
}

// The browser cannot capture a pointer that only a script moves.
canvas.setPointerCapture = () => {};
for (let step = 0; step < steps; step += 1) document.getElementById("zoom-in").click();
requestAnimationFrame(() => requestAnimationFrame(() => {
  const start = findEvent();
  if (start) drag(start); else done(null);
}));
