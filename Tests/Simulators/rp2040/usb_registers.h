// The registers of the USB controller and the words of its DPRAM, by their names in the datasheet
// (4.1.4, 4.1.2.5).
#ifndef USB_REGISTERS_H
#define USB_REGISTERS_H

#define USB_BASE 0x50110000u
#define USB_DPRAM_BASE 0x50100000u
#define USB_DPRAM_SIZE 0x1000u
#define USB_ENDPOINTS 16u

// ---- DPRAM ----

#define SETUP_PACKET_SIZE 8u
#define EP_CONTROL(number, is_out) (8u * (number) + ((is_out) ? 4u : 0u)) // number 1 to 15
#define EP_CONTROL_ENABLE (1u << 31)
#define EP_CONTROL_DOUBLE_BUFFERED (1u << 30)
#define EP_CONTROL_INTERRUPT_PER_BUFFER (1u << 29)
#define EP_CONTROL_TYPE(control) ((control) >> 26 & 3u)
#define EP_CONTROL_ADDRESS 0xFFC0u
#define EP_CONTROL_MODELLED (EP_CONTROL_ENABLE | 1u << 29 | 3u << 26 | EP_CONTROL_ADDRESS)
#define BUFFER_CONTROLS 0x80u
#define BUFFER_CONTROL(number, is_out) (BUFFER_CONTROLS + 8u * (number) + ((is_out) ? 4u : 0u))
#define BUFFER_FULL (1u << 15)
#define BUFFER_LAST (1u << 14)
#define BUFFER_DATA1 (1u << 13)
#define BUFFER_RESET_SELECT (1u << 12)
#define BUFFER_STALL (1u << 11)
#define BUFFER_AVAILABLE (1u << 10)
#define BUFFER_LENGTH 0x3FFu
#define BUFFER_MODELLED 0xFFFFu
#define EP0_BUFFER 0x100u
#define FREE_BUFFERS 0x180u // start of the data buffers
#define PACKET_MAX 64u

// ---- Registers ----

#define ADDR_ENDP 0x00u
#define ADDR_ENDP_ADDRESS 0x7Fu
#define MAIN_CTRL 0x40u
#define MAIN_CTRL_CONTROLLER_EN (1u << 0)
#define SOF_RD 0x48u
#define SIE_CTRL 0x4Cu
#define SIE_CTRL_PULLUP_EN (1u << 16)
#define SIE_CTRL_EP0_INT_1BUF (1u << 29)
#define SIE_STATUS 0x50u
#define SIE_STATUS_VBUS_DETECTED (1u << 0)
#define SIE_STATUS_LINE_STATE_J (1u << 2)
#define SIE_STATUS_SUSPENDED (1u << 4)
#define SIE_STATUS_RESUME (1u << 11)
#define SIE_STATUS_SETUP_REC (1u << 17)
#define SIE_STATUS_TRANS_COMPLETE (1u << 18)
#define SIE_STATUS_BUS_RESET (1u << 19)
#define SIE_STATUS_CRC_ERROR (1u << 24)
#define SIE_STATUS_RX_TIMEOUT (1u << 27)
#define SIE_STATUS_ACK_REC (1u << 30)
#define SIE_STATUS_DATA_SEQ_ERROR (1u << 31)
#define BUFF_STATUS 0x58u
#define BUFF_CPU_SHOULD_HANDLE 0x5Cu
#define BUFF_STATUS_BIT(number, is_out) (1u << (2u * (number) + ((is_out) ? 1u : 0u)))
#define EP_ABORT 0x60u
#define EP_ABORT_DONE 0x64u
#define EP_STALL_ARM 0x68u
#define EP_STALL_ARM_IN (1u << 0)
#define EP_STALL_ARM_OUT (1u << 1)
#define USB_MUXING 0x74u
#define USB_MUXING_TO_PHY (1u << 0)
#define USB_MUXING_SOFTCON (1u << 3)
#define USB_PWR 0x78u
#define USB_PWR_VBUS_DETECT (1u << 2)
#define USB_PWR_VBUS_DETECT_OVERRIDE_EN (1u << 3)
#define INTR 0x8Cu
#define INTE 0x90u
#define INTF 0x94u
#define INTS 0x98u
#define INT_TRANS_COMPLETE (1u << 3)
#define INT_BUFF_STATUS (1u << 4)
#define INT_ERROR_DATA_SEQ (1u << 5)
#define INT_ERROR_RX_TIMEOUT (1u << 6)
#define INT_ERROR_CRC (1u << 9)
#define INT_BUS_RESET (1u << 12)
#define INT_DEV_SUSPEND (1u << 14)
#define INT_DEV_RESUME_FROM_HOST (1u << 15)
#define INT_SETUP_REQ (1u << 16)
#define INT_DEV_SOF (1u << 17)
#define INT_MODELLED                                                                               \
    (INT_TRANS_COMPLETE | INT_BUFF_STATUS | INT_ERROR_DATA_SEQ | INT_ERROR_RX_TIMEOUT |            \
     INT_ERROR_CRC | INT_BUS_RESET | INT_DEV_SUSPEND | INT_DEV_RESUME_FROM_HOST | INT_SETUP_REQ |  \
     INT_DEV_SOF)

#endif
