import { once } from "node:events";
import type { Socket } from "node:net";
import { openSocket } from "./raw-socket.ts";

// Opens connections to the address in its first argument, as many as in its second: a third of them silent, a third in the
// middle of their headers, a third idle after an answer. Prints how many were open at the end, and runs until it is killed.
const [, , address = "", many = "0"] = process.argv;
const REQUESTS = ["", "GET /live HTTP/1.1\r\nHost: x\r\nX-Half", "GET /live HTTP/1.1\r\nHost: x\r\n\r\n"];
const AT_ONCE = 100;

// On a slow machine the server times out the first sockets before the last are open; those are opened again.
let sockets: Socket[] = [];
while (sockets.length < Number(many)) {
  const some = Array.from({ length: AT_ONCE }, () => openSocket(address));
  await Promise.all(some.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
  for (const [index, socket] of some.entries()) {
    const request = REQUESTS[index % REQUESTS.length] ?? "";
    if (request === "") continue;
    socket.write(request);
    if (request.endsWith("\r\n\r\n")) await Promise.race([once(socket, "data"), once(socket, "close")]);
  }
  sockets = [...sockets, ...some].filter((socket) => socket.readyState === "open");
}
process.send?.(sockets.length);
