// The transactions of a transfer, packet by packet. usb_host.c models the frames.
#ifndef USB_TRANSACTION_H
#define USB_TRANSACTION_H

#include "usb_host.h"

// Begins a frame, in which the waiting pipes are polled again.
void usb_transaction_begin_frame(struct usb_host *host, uint64_t when);
// Polls a pipe again after the device has made a buffer available.
void usb_transaction_device_is_ready(struct usb_host *host);
// Handles the end of a token, or the end of a transaction.
void usb_transaction_phase_ends(void *owner, uint64_t when);
// Aborts the transaction in progress, if there is one.
void usb_transaction_abandon(struct usb_host *host);
// Ends the first transfer of a pipe.
void usb_transaction_end_transfer(struct usb_pipe *pipe, enum usb_status status);

#endif
