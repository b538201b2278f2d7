#include "../../protocol/bridge_protocol.h"

/* SHIFTED shifts a CRC register by one bit. ENTRY is the result of four shifts of a register that
   initially contains the nibble. */
#define SHIFTED(crc) ((crc) >> 1 ^ ((crc)&1 ? BRIDGE_CRC_POLYNOMIAL : 0))
#define ENTRY(nibble) SHIFTED(SHIFTED(SHIFTED(SHIFTED((uint32_t)(nibble)))))

const uint32_t arithmetic_crc_of_nibble[16] = {
    ENTRY(0), ENTRY(1), ENTRY(2),  ENTRY(3),  ENTRY(4),  ENTRY(5),  ENTRY(6),  ENTRY(7),
    ENTRY(8), ENTRY(9), ENTRY(10), ENTRY(11), ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15),
};
