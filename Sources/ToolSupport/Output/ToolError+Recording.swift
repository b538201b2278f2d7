// ToolError+Recording: errors of recordings of the board's accelerometer.

import HapticBridge

extension ToolError {
    /// Creates an error from the reason why a board could not record its accelerometer.
    ///
    /// - Parameter prefix: the port of the board and a colon.
    init(_ error: RecordingError, prefix: String) {
        let message = "\(prefix)\(error)"
        switch error {
        case .unsupported:
            self.init(
                .protocolMismatch, message,
                advice: "`bridge flash` installs the present firmware",
                "the image for several actuators on an ATmega328P has no support for accelerometers"
            )
        case .noSensor:
            self.init(.noDriver, message, advice: Self.connectSensor, Self.searchedAgain)
        case .unknownSensor:
            self.init(.protocolMismatch, message, advice: "install a newer version of bridge")
        case .tooLong:
            self.init(.usage, message, advice: "measure a shorter part of the pattern")
        case .noSamples(.lost?):
            self.init(
                .noDriver, message,
                advice: "check the wires of the accelerometer: SDA, SCL, its supply and GND",
                Self.searchedAgain)
        case .noSamples:
            self.init(.busy, message, advice: "try again")
        }
    }

    private static let connectSensor =
        "connect a breakout board with an LIS3DH, LIS2DW12, LSM6DSO or LSM6DSOX to the wires SDA "
        + "and SCL of the driver (A4 and A5 of an Uno or Nano, GP4 and GP5 of a Pico), to the "
        + "supply and to GND"
    private static let searchedAgain =
        "the board searches for the accelerometer when a program connects, so run the command again"
}
