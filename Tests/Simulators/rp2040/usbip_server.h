// Connects a board to a socket for Linux's virtual host controller, at the pace of the wall clock.
//
// A client that connects plugs in the cable. When the device has its address, the client receives
// the line `ready`, and USB/IP messages follow. Closing the connection unplugs the cable. The board
// closes the connection when the device detaches or is reset. A client can then connect again.
#ifndef USBIP_SERVER_H
#define USBIP_SERVER_H

#include "board.h"
#include "options.h"

// Serves the socket until SIGTERM or SIGINT. Returns false and sets errno if the socket cannot be
// created.
bool usbip_serve(struct board *board, const struct options *options);

#endif
