/* The program: the loop of the common port, and the work of this board in each round. */
#include "../common/port.h"
#include "board.h"
#include "storage.h"
#include "usb.h"
#include "usb_control.h"

int main(void) {
    port_start();
    for (;;) {
        bool has_more = port_round(PORT_ROUND_BYTES, PORT_ROUND_POLLS);
        storage_poll();
        usb_keep_interrupts();
        if (usb_control_wants_boot_loader()) {
            bridge_request_bootloader(&port_bridge);
        }
        if (!has_more) {
            board_wait();
        }
    }
}
