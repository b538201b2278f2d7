// Tests that the device's own check accepts the configurations that the host calculates from an
// actuator's data sheet (SPEC 8.3).

import BridgeLink
import CBridgeFirmware
import DRV2605
import Testing

@Suite struct HostConfigurationTests {
    private static let rated = stride(from: UInt16(500), through: 5_000, by: 50)
    /// The peak voltage that an actuator tolerates, as a percentage of the rated voltage.
    private static let overdrives = [100, 105, 120, 142, 175, 250]
    /// The resonant frequencies of linear actuators, in hertz.
    private static let resonances = [125.0, 150, 175, 205, 235, 300]
    private static let loops = [DriveLoop.closed, .open]

    @Test(arguments: HapticChip.allCases, loops)
    func everyRotatingActuatorIsAccepted(by chip: HapticChip, in loop: DriveLoop) {
        for rated in Self.rated {
            expectAccepted(.erm, 0, rated, chip, loop)
        }
    }

    @Test(arguments: HapticChip.allCases, loops)
    func everyLinearActuatorIsAccepted(by chip: HapticChip, in loop: DriveLoop) {
        for resonance in Self.resonances {
            for rated in Self.rated {
                expectAccepted(.lra, resonance, rated, chip, loop)
            }
        }
    }

    private func expectAccepted(
        _ kind: ActuatorKind, _ resonance: Double, _ rated: UInt16, _ chip: HapticChip,
        _ loop: DriveLoop
    ) {
        for percent in Self.overdrives {
            let overdrive = UInt16(min(Int(rated) * percent / 100, 5_600))
            let computed = ActuatorConfiguration(
                kind: kind, resonance: resonance, rated: rated, overdrive: overdrive, chip: chip,
                loop: loop)
            let fault = ConfigurationTests.check(computed)
            #expect(
                fault.code == 0,
                "\(rated) mV, \(overdrive) mV, \(resonance) Hz: byte \(fault.offset), nearest \(fault.limit)"
            )
        }
    }
}
