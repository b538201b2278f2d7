// The registers of DW_apb_i2c by their names in the datasheet (4.3.17), without IC_.
#ifndef DW_I2C_REGISTERS_H
#define DW_I2C_REGISTERS_H

#define CON 0x00u
#define CON_MASTER (1u << 0)
#define CON_SPEED (3u << 1)
#define CON_SPEED_FAST (2u << 1)
#define CON_RESTART_EN (1u << 5)
#define CON_SLAVE_DISABLE (1u << 6)
#define CON_TX_EMPTY_CTRL (1u << 8)
#define CON_RESET 0x65u
#define TAR 0x04u
#define TAR_RESET 0x55u
#define DATA_CMD 0x10u
#define CMD_READ (1u << 8)
#define CMD_STOP (1u << 9)
#define CMD_RESTART (1u << 10)
#define FS_SCL_HCNT 0x1Cu
#define FS_SCL_HCNT_RESET 0x06u
#define FS_SCL_LCNT 0x20u
#define FS_SCL_LCNT_RESET 0x0Du
#define INTR_STAT 0x2Cu
#define INTR_MASK 0x30u
#define INTR_MASK_RESET 0x8FFu
#define RAW_INTR_STAT 0x34u
#define INTR_RX_FULL (1u << 2)
#define INTR_TX_EMPTY (1u << 4)
#define INTR_TX_ABRT (1u << 6)
#define INTR_ACTIVITY (1u << 8)
#define INTR_STOP_DET (1u << 9)
#define INTR_START_DET (1u << 10)
#define INTR_ALL 0x1FFFu
#define RX_TL 0x38u
#define TX_TL 0x3Cu
#define CLR_INTR 0x40u
#define CLR_TX_ABRT 0x54u
#define CLR_ACTIVITY 0x5Cu
#define CLR_STOP_DET 0x60u
#define CLR_START_DET 0x64u
#define ENABLE 0x6Cu
#define ENABLE_ENABLE (1u << 0)
#define STATUS 0x70u
#define STATUS_ACTIVITY (1u << 0)
#define STATUS_TFNF (1u << 1)
#define STATUS_TFE (1u << 2)
#define STATUS_RFNE (1u << 3)
#define STATUS_RFF (1u << 4)
#define STATUS_MST_ACTIVITY (1u << 5)
#define TXFLR 0x74u
#define RXFLR 0x78u
#define SDA_HOLD 0x7Cu
#define TX_ABRT_SOURCE 0x80u
#define ABRT_7B_ADDR_NOACK (1u << 0)
#define ABRT_TXDATA_NOACK (1u << 3)
#define ARB_LOST (1u << 12)
#define TX_FLUSH_CNT_SHIFT 23
#define ENABLE_STATUS 0x9Cu
#define FS_SPKLEN 0xA0u
#define FS_SPKLEN_RESET 0x07u

#endif
