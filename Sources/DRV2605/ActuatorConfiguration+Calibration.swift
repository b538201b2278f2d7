// Copies the results of a calibration to a new configuration.

import BridgeLink

extension ActuatorConfiguration {
    /// Copies the results of the calibration in `former`, provided that the calibration passed and
    /// that `former` has the same actuator properties.
    ///
    /// - Returns: true if the results were copied.
    public mutating func keepCalibration(of former: ActuatorConfiguration) -> Bool {
        var calibrated = image
        calibrated.copyResults(of: former.image)
        guard former.calibration == .passed, calibrated == former.image,
            (kind, resonance, rated, overdrive)
                == (former.kind, former.resonance, former.rated, former.overdrive)
        else { return false }
        (image, calibration) = (calibrated, .passed)
        return true
    }
}

extension RegisterImage {
    /// Copies A_CAL_COMP, A_CAL_BEMF and BEMF_GAIN. A calibration writes only these fields
    /// (SLOS854D 8.5.6).
    fileprivate mutating func copyResults(of calibrated: RegisterImage) {
        self[0x18] = calibrated[0x18]
        self[0x19] = calibrated[0x19]
        self[0x1A] = self[0x1A] & ~3 | calibrated[0x1A] & 3
    }
}
