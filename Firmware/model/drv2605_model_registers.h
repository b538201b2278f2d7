// The registers of the DRV2605 and DRV2605L as in their datasheets: SLOS854D p35-53, SLOS825E
// register map. This file defines the registers independently of the firmware, so that tests detect
// a wrong address in the firmware. "L" marks registers and bits that only the DRV2605L has.
#ifndef DRV2605_MODEL_REGISTERS_H
#define DRV2605_MODEL_REGISTERS_H

#define MODEL_REG_STATUS 0x00u // read only
#define MODEL_DEVICE_ID_SHIFT 5
#define MODEL_DIAG_RESULT 0x08u // cleared by a read
#define MODEL_OVER_TEMP 0x02u   // cleared by a read
#define MODEL_OC_DETECT 0x01u

#define MODEL_REG_MODE 0x01u
#define MODEL_DEV_RESET 0x80u
#define MODEL_STANDBY 0x40u
#define MODEL_MODE_MASK 0x07u
#define MODEL_MODE_INTERNAL_TRIGGER 0u
#define MODEL_MODE_EXTERNAL_EDGE 1u
#define MODEL_MODE_EXTERNAL_LEVEL 2u
#define MODEL_MODE_PWM_ANALOG 3u
#define MODEL_MODE_AUDIO 4u
#define MODEL_MODE_RTP 5u
#define MODEL_MODE_DIAGNOSTICS 6u
#define MODEL_MODE_AUTO_CALIBRATION 7u

#define MODEL_REG_RTP_INPUT 0x02u

#define MODEL_REG_LIBRARY 0x03u
#define MODEL_HI_Z 0x10u
#define MODEL_LIBRARY_SEL_MASK 0x07u

#define MODEL_REG_SEQ1 0x04u
#define MODEL_REG_SEQ8 0x0Bu
#define MODEL_WAIT 0x80u // if set, the other bits are a time in units of 10 ms

#define MODEL_REG_GO 0x0Cu
#define MODEL_GO 0x01u

#define MODEL_REG_ODT 0x0Du
#define MODEL_REG_SPT 0x0Eu
#define MODEL_REG_SNT 0x0Fu
#define MODEL_REG_BRT 0x10u
#define MODEL_REG_ATH_CTRL 0x11u
#define MODEL_REG_ATH_MIN_INPUT 0x12u
#define MODEL_REG_ATH_MAX_INPUT 0x13u
#define MODEL_REG_ATH_MIN_DRIVE 0x14u
#define MODEL_REG_ATH_MAX_DRIVE 0x15u
#define MODEL_REG_RATED_VOLTAGE 0x16u
#define MODEL_REG_OD_CLAMP 0x17u
#define MODEL_REG_A_CAL_COMP 0x18u
#define MODEL_REG_A_CAL_BEMF 0x19u

#define MODEL_REG_FEEDBACK 0x1Au
#define MODEL_N_ERM_LRA 0x80u
#define MODEL_BEMF_GAIN_MASK 0x03u

#define MODEL_REG_CONTROL1 0x1Bu

#define MODEL_REG_CONTROL2 0x1Cu
#define MODEL_BIDIR_INPUT 0x80u

#define MODEL_REG_CONTROL3 0x1Du
#define MODEL_ERM_OPEN_LOOP 0x20u
#define MODEL_DATA_FORMAT_RTP 0x08u // 0 signed, 1 unsigned
#define MODEL_LRA_OPEN_LOOP 0x01u

#define MODEL_REG_CONTROL4 0x1Eu
#define MODEL_AUTO_CAL_TIME_SHIFT 4
#define MODEL_AUTO_CAL_TIME_MASK 0x30u
#define MODEL_OTP_STATUS 0x04u // read only
#define MODEL_OTP_PROGRAM 0x01u

#define MODEL_REG_CONTROL5 0x1Fu      // L
#define MODEL_REG_OL_LRA_PERIOD 0x20u // L
#define MODEL_REG_VBAT 0x21u          // read only
#define MODEL_REG_LRA_PERIOD 0x22u    // read only

#endif
