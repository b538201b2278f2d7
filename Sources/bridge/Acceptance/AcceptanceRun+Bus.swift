// The step `bus` of an acceptance test, which compares the levels on the wires with the levels that
// were sent.

import AcceptanceReports
import BridgeLink
import HapticBridge
import HapticPatterns
import SerialPorts
import ToolSupport

/// The logic analyzer of an acceptance test, and its last capture.
final class BusAnalyzer {
    /// The driver for sigrok-cli, such as "fx2lafw".
    let driver: String
    let wires: Wires
    private var capture: BusCapture?

    init(driver: String, wires: Wires) { (self.driver, self.wires) = (driver, wires) }

    /// The maximum time until an analyzer begins to record, in microseconds. Some analyzers must
    /// first receive their firmware.
    private static let preparation: Microseconds = .milliseconds(4_000)

    /// Records the wires from before the start of an action until after its end. The recording ends
    /// when the given time has passed after the preparation, if not earlier. The capture of an
    /// interrupted action is discarded.
    fileprivate func record(
        for time: Microseconds, while isWanted: () -> Bool,
        prepare: (Microseconds) throws -> Void, _ action: () throws -> Void
    ) throws {
        let recording = try LogicAnalyzer.record(
            from: driver, wires, for: Self.preparation + time)
        do {
            try prepare(Self.preparation)
            if isWanted() { try action() }
        } catch {
            LogicAnalyzer.discard(recording)
            throw error
        }
        guard isWanted() else { return LogicAnalyzer.discard(recording) }
        capture = try LogicAnalyzer.capture(of: recording, wires, from: driver)
    }

    /// Returns the last capture, and removes it.
    func takeCapture() -> BusCapture? {
        defer { capture = nil }
        return capture
    }
}

extension AcceptanceRun {
    /// The time that is added to the length of the pattern to obtain the length of the recording,
    /// in microseconds. The added time includes the transfer of the stream.
    private static let ending: Microseconds = .milliseconds(2_000)

    /// Plays levels, taps and a ramp, and records the wires if there is an analyzer. The levels are
    /// compared after the step, when its frames are known.
    func playForWitness(_ checks: inout [AcceptanceCheck]) throws {
        let actuators = try drivable(for: .bus, &checks)
        guard !actuators.isEmpty else { return }
        let pattern = Self.witnessed(Self.tapIntensities.shuffled())
        guard let analyzer else {
            try play(pattern, on: actuators)
            return checks.append(Self.noWitness)
        }
        try analyzer.record(for: pattern.length + Self.ending, while: isWanted) { time in
            let end = Link.now() + time
            while Link.now() < end, isWanted() {
                try board.link.run(until: min(end, Link.now() + Self.slice))
            }
        } _: {
            try play(pattern, on: actuators)
        }
    }

    /// The check that is added to a step whose levels have not been recorded.
    static let noWitness = AcceptanceCheck.skipped(
        BusWitness.subject, "no capture; `bridge accept REPORT --capture FILE` compares one")

    /// The intensities of the taps for the logic analyzer. Their order differs in each test, so
    /// that a capture from another test is recognized.
    static let tapIntensities = (1...10).map { 0.1 * Double($0) }

    /// Returns a pattern of levels, taps with the given intensities, and a ramp up and down.
    static func witnessed(_ tapIntensities: [Double]) -> HapticPattern {
        let levels = [0.3, 0.9, 0.5].enumerated().map { index, intensity in
            HapticEvent(
                .hapticContinuous, time: 100_000 + Microseconds(index) * 200_000,
                duration: 200_000, intensity: intensity, sharpness: 0.5)
        }
        let taps = tapIntensities.enumerated().map { index, intensity in
            HapticEvent(
                .hapticTransient, time: 900_000 + Microseconds(index) * 70_000,
                intensity: intensity, sharpness: 1)
        }
        let ramp = HapticEvent(
            .hapticContinuous, time: 1_800_000, duration: 1_000_000, intensity: 1, sharpness: 0.5)
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 1_800_000,
            points: [
                .init(time: 0, value: 0.1), .init(time: 500_000, value: 1),
                .init(time: 1_000_000, value: 0.1),
            ])
        return HapticPattern(events: levels + taps + [ramp], curves: [curve])
    }
}
