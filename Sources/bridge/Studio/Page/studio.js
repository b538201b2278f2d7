// studio.js: shows what the tool tells.
const socket = new WebSocket(`ws://${location.host}/live`);
socket.addEventListener("message", (event) => {
    const log = document.getElementById("log");
    log.textContent = `${event.data.slice(0, 400)}\n${log.textContent.slice(0, 10000)}`;
});
