// A Raspberry Pi Pico: an RP2040, its flash chip, DRV2605(L)s, the wires between them, and the
// host's USB cable.
#ifndef BOARD_PARTS_H
#define BOARD_PARTS_H

#include "bootsel.h"
#include "dw_i2c.h"
#include "flash_chip.h"
#include "machine.h"
#include "ssi.h"
#include "usb_port.h"
#include "usb_request.h"
#include "usbip.h"
#include "wiring.h"

struct board_parts {
    struct machine machine;
    struct flash_chip flash;
    struct ssi ssi;
    struct bootsel bootsel;
    struct dw_i2c i2c[2];
    struct wiring wiring;
    struct usb_controller usb;
    struct usb_host usb_host;
    struct usb_session usb_session;
    struct usb_request usb_request;
    struct usb_port usb_port; // the port, if the host is simulated; otherwise, `usbip` is used
    struct usbip usbip;
};

#endif
