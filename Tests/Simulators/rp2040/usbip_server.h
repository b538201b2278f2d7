// The board behind a socket for Linux's virtual host controller, in step with the wall clock.
//
// Who connects plugs the cable in; when the device has got its address it is told `ready` in a
// line, and USB/IP follows. Who closes the connection pulls the cable. The board closes it when the
// device detaches or is reset: it can then be plugged in anew.
#ifndef USBIP_SERVER_H
#define USBIP_SERVER_H

#include "board.h"
#include "options.h"

// Serves until SIGTERM or SIGINT. Returns false, with errno, if the socket can not be made.
bool usbip_serve(struct board *board, const struct options *options);

#endif
