// The transactions of transfers, packet by packet; usb_host.c has the frames.
#ifndef USB_TRANSACTION_H
#define USB_TRANSACTION_H

#include "usb_host.h"

// A frame has begun: whoever was told to wait is asked again.
void usb_transaction_begin_frame(struct usb_host *host, uint64_t when);
// The device has made a buffer available.
void usb_transaction_device_is_ready(struct usb_host *host);
// A token, or the rest of a transaction, has ended.
void usb_transaction_phase_ends(void *owner, uint64_t when);
// The bus is cut in the middle of a transaction, or not.
void usb_transaction_abandon(struct usb_host *host);
// The first transfer of a pipe ends.
void usb_transaction_end_transfer(struct usb_pipe *pipe, enum usb_status status);

#endif
