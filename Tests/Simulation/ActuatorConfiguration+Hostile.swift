// The limits that apply to a hostile host, and the configurations with which the host tries to
// exceed the limits.

import BridgeLink
import DRV2605
import TestSupport

extension ActuatorConfiguration {
    /// Returns a configuration that is within the limits of the board and has a small budget.
    static func hostileLimits(
        _ chip: HapticChip, using random: inout SeededGenerator
    ) -> ActuatorConfiguration {
        let kind: ActuatorKind = random.chance(oneIn: 2) ? .lra : .erm
        let isOpen = random.chance(oneIn: 3) && (kind == .erm || chip == .drv2605L)
        let rated = UInt16.random(in: 600...3_500, using: &random)
        let overdrive = min(5_600, rated + .random(in: 0...1_500, using: &random))
        let resonance = Double.random(in: 130...290, using: &random)
        var configuration = ActuatorConfiguration(
            kind: kind, resonance: resonance, rated: rated, overdrive: overdrive, chip: chip,
            loop: isOpen ? .open : .closed)
        if chip == .drv2605L, random.chance(oneIn: 4) {
            let highest = Double.random(in: resonance...400, using: &random)
            configuration = ActuatorConfiguration(
                band: resonance * 0.7...highest, rated: rated, overdrive: overdrive)
        }
        configuration.sustained = UInt8.random(in: 8...120, using: &random) * 2
        configuration.budget = .random(in: 5...300, using: &random)
        return configuration
    }

    /// Returns a configuration that exceeds the limits of this configuration in up to four fields.
    func exceeded(using random: inout SeededGenerator) -> ActuatorConfiguration {
        var more = self
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: more.kind = ActuatorKind(rawValue: .random(in: 1...3, using: &random))
            case 1: more.rated = .random(in: 500...5_000, using: &random)
            case 2: more.overdrive = .random(in: 500...5_600, using: &random)
            case 3: more.sustained = .random(in: 16...255, using: &random)
            case 4: more.budget = .random(in: 0...UInt16.max, using: &random)
            case 5: more.resonance = .random(in: 1_000...3_200, using: &random)
            case 6: more.levelMax = .random(in: 1...255, using: &random)
            case 7: more.startVoltage = .random(in: 700...4_200, using: &random)
            case 8: more.runningVoltage = .random(in: 20...130, using: &random)
            default:
                let register = UInt8.random(in: 0x16...0x20, using: &random)
                more.image[register] =
                    random.chance(oneIn: 2)
                    ? .random(in: 0...255, using: &random)
                    : more.image[register] ^ 1 << UInt8.random(in: 0...7, using: &random)
            }
        }
        return more
    }
}
