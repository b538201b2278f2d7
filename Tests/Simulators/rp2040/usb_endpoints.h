// The buffers of the endpoints in the controller's DPRAM. The controller's registers are in
// usb_controller.c.
#ifndef USB_ENDPOINTS_H
#define USB_ENDPOINTS_H

#include "usb_controller.h"

// Handles a write by the program to the word at the given offset in the DPRAM.
void usb_endpoints_written(void *owner, uint32_t offset);

// Sets bits of SIE_STATUS.
void usb_controller_raise(struct usb_controller *usb, uint32_t status);
// Sets the level of the interrupt line.
void usb_controller_update(struct usb_controller *usb);

#endif
