// The SSI in standard SPI mode with the flash chip (datasheet 4.10), the CS of IO_QSPI, and the
// flash as memory (XIP, 2.6.3) as the second stage of booting has configured it.
#ifndef SSI_H
#define SSI_H

#include "flash_chip.h"

#define SSI_FIFO 16u
#define XIP_WAYS 2u
#define XIP_SETS 1024u

struct ssi_frame {
    uint8_t byte;
    uint64_t ready_at; // the cycle from which the frame can be read
};

struct ssi {
    struct machine *machine;
    struct flash_chip *flash;
    uint32_t control0;
    uint32_t control1;
    bool is_enabled;
    uint32_t slaves;
    uint32_t divider;
    uint32_t xip_control;
    uint32_t chip_select; // IO_QSPI_GPIO_QSPI_SS_CTRL
    struct ssi_frame received[SSI_FIFO];
    uint32_t received_count;
    uint64_t busy_until; // the cycle at which the last frame has been sent

    // The XIP cache. For each way of the cache: 1 plus the number of the cached line of 8 bytes, or
    // 0 if the way is empty.
    uint32_t lines[XIP_SETS][XIP_WAYS];
    uint8_t next_way[XIP_SETS];
};

void ssi_init(struct ssi *ssi, struct machine *machine, struct flash_chip *flash);

#endif
