/* The image: values of the DRV2605's registers in a configuration (SPEC 8). */
#ifndef DRV2605_IMAGE_H
#define DRV2605_IMAGE_H

#include "../actuator/configuration.h"
#include "drv2605_registers.h"

/** Offsets in the configuration. From RATED_VOLTAGE on, each offset equals the number of the
    register; the offset of LIBRARY is one less than the offset of RATED_VOLTAGE. */
enum drv2605_image_offset {
    DRV2605_IMAGE_LIBRARY = CONFIGURATION_IMAGE,
    DRV2605_IMAGE_RATED_VOLTAGE,
    DRV2605_IMAGE_OD_CLAMP,
    DRV2605_IMAGE_A_CAL_COMP,
    DRV2605_IMAGE_A_CAL_BEMF,
    DRV2605_IMAGE_FEEDBACK,
    DRV2605_IMAGE_CONTROL1,
    DRV2605_IMAGE_CONTROL2,
    DRV2605_IMAGE_CONTROL3,
    DRV2605_IMAGE_CONTROL4,
    DRV2605_IMAGE_CONTROL5,
    DRV2605_IMAGE_OL_LRA_PERIOD,
};

#ifndef __cplusplus
_Static_assert((int)DRV2605_IMAGE_RATED_VOLTAGE == DRV2605_REG_RATED_VOLTAGE &&
                   (int)DRV2605_IMAGE_OL_LRA_PERIOD == DRV2605_REG_OL_LRA_PERIOD,
               "offsets must equal register numbers");
#endif

#endif
