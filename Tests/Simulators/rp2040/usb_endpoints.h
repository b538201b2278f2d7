// The buffers of the endpoints in the controller's DPRAM; usb_controller.c has its registers.
#ifndef USB_ENDPOINTS_H
#define USB_ENDPOINTS_H

#include "usb_controller.h"

// Called when the program has written to the word at this offset of the DPRAM.
void usb_endpoints_written(void *owner, uint32_t offset);

// Sets bits of SIE_STATUS.
void usb_controller_raise(struct usb_controller *usb, uint32_t status);
// Sets the line of the interrupt.
void usb_controller_update(struct usb_controller *usb);

#endif
