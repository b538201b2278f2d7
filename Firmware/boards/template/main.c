/* The program of a board: the port's loop. */
#include "board_hal.h"
#include "port.h"

int main(void) {
    port_start();
    for (;;) {
        if (!port_round()) {
            board_wait();
        }
    }
}
