/* The program: the port's loop, and the board's own turn in it. */
#include "../template/port.h"
#include "board.h"
#include "storage.h"

int main(void) {
    port_start();
    for (;;) {
        bool has_more = port_round();
        storage_poll();
        if (!has_more) {
            board_wait();
        }
    }
}
