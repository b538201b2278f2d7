// BoardDifference: the properties in which two boards or two configurations of an actuator differ.

import AcceptanceReports
import BridgeLink
import DRV2605
import JSONText

extension AcceptanceReport.Board {
    /// Returns the properties in which another board differs from the board of a report, each with
    /// both values. The array is empty if the report can be continued with the other board; the
    /// results of calibrations may differ.
    func differences(to other: Self) -> [String] {
        var differences: [String] = []
        func compare(_ name: String, _ ours: String, _ theirs: String) {
            guard ours != theirs else { return }
            differences.append("\(name): the report has \(ours), this board \(theirs)")
        }
        if kind != other.kind {
            compare("kind", "\(name) (\(kind))", "\(other.name) (\(other.kind))")
        }
        compare("firmware", firmware, other.firmware)
        compare("drivers", "\(chips.count)", "\(other.chips.count)")
        for (index, chips) in zip(chips, other.chips).enumerated() {
            compare(
                "actuator \(index), chip", HapticChip.name(ofDeviceID: chips.0),
                HapticChip.name(ofDeviceID: chips.1))
        }
        compare("actuators", "\(configurations.count)", "\(other.configurations.count)")
        for (index, pair) in zip(configurations, other.configurations).enumerated() {
            guard let ours = pair.0, let theirs = pair.1 else {
                let (ours, theirs) = (Self.summary(pair.0), Self.summary(pair.1))
                compare("actuator \(index), configuration", ours, theirs)
                continue
            }
            for (one, another) in zip(ours.facts, theirs.facts) {
                compare("actuator \(index), \(one.name)", one.text, another.text)
            }
        }
        return differences
    }

    private static func summary(_ configuration: ActuatorConfiguration?) -> String {
        configuration.map { "an \($0.kind)" } ?? "none"
    }
}

extension ActuatorConfiguration {
    /// True if the configurations differ only in the results of a calibration.
    func isAlike(_ other: Self) -> Bool {
        zip(facts, other.facts).allSatisfy { $0.text == $1.text }
    }

    /// All properties except the results of a calibration, as text.
    fileprivate var facts: [(name: String, text: String)] {
        var registers = image
        for register: UInt8 in 0x18...0x1A { registers[register] = 0 }
        return [
            ("kind", "\(kind)"), ("name", name.isEmpty ? "none" : name.asNameOfStranger),
            ("locality", "\(locality)"),
            ("resonance", "\((Double(resonance) / 10).text(decimals: 1)) Hz"),
            ("rated voltage", "\(rated) mV"), ("overdrive voltage", "\(overdrive) mV"),
            ("longest tap", "\(tapDull) µs"), ("shortest tap", "\(tapSharp) µs"),
            ("rise", "\(rise) ms"), ("brake", "\(brake) ms"), ("onset", "\(onset) µs"),
            ("curve of the levels", "\(curve.low), \(curve.mid), \(curve.high)"),
            ("greatest level", "\(levelMax)"), ("sustained level", "\(sustained)"),
            ("energy budget", "\(budget) ms"),
            ("time constant", "\((Double(timeConstant) / 10).text(decimals: 1)) ms"),
            ("acceleration", "\((Double(acceleration) / 1_000).text(decimals: 3)) g"),
            ("start voltage", "\(startVoltage) mV"), ("running voltage", "\(runningVoltage) mV"),
            ("registers", registers.bytes.hexadecimal),
        ]
    }
}
