/* The program of a board: the main loop of the common port. */
#include "../common/board_hal.h"
#include "../common/port.h"

int main(void) {
    port_start();
    for (;;) {
        if (!port_round(PORT_ROUND_BYTES, PORT_ROUND_POLLS)) {
            board_wait();
        }
    }
}
