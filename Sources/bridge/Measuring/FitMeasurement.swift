// FitMeasurement: plays the excitations of a fit on a board, and records the motion.

import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import Prediction
import ToolSupport

/// The measurement of an actuator with the accelerometer of its board.
struct FitMeasurement {
    /// The sensor and its axis.
    struct Origin {
        var sensor: SensorKind
        var axis: SensorAxis
    }

    private let board: HapticBoard
    private let actuator: UInt8
    private let configuration: ActuatorConfiguration
    /// The calibrated gain of the accelerometer; nil if it has not been calibrated.
    private let gain: Double?
    private let note: (@autoclosure () -> String) -> Void
    private let use: ExclusiveUse

    /// The standard uncertainty of a gain that was calibrated by gravity.
    private static let calibrated = 0.01

    init(
        _ board: HapticBoard, _ actuator: UInt8, _ configuration: ActuatorConfiguration,
        gain: Double?, note: @escaping (@autoclosure () -> String) -> Void
    ) {
        (self.board, self.actuator, self.configuration) = (board, actuator, configuration)
        (self.gain, self.note) = (gain, note)
        use = ExclusiveUse(of: [board])
    }

    private var gainUncertainty: Double {
        gain == nil ? FitRecords.uncalibrated : Self.calibrated
    }

    /// Measures and fits an LRA or an ERM.
    ///
    /// - Parameter axis: the axis of the accelerometer; nil for the axis that moves most.
    func fit(
        _ axis: SensorAxis?
    ) throws -> (fit: FittedActuator, explanation: FitExplanation, origin: Origin) {
        let isERM = configuration.kind == .erm
        guard isERM || !configuration.isOpenLoop else { throw FitError.unsupported }
        let kind: Plant.Kind = isERM ? .erm : .lra
        let (records, unused, origin) = try use.perform {
            let origin = try begin(axis, probe: .probe(kind))
            let main = try record(.main(kind), origin.axis)
            let start = Excitation.start(inClosedLoop: !configuration.isOpenLoop)
            let records = FitRecords(
                main: main, start: isERM ? try record(start, origin.axis) : nil,
                gainUncertainty: gainUncertainty)
            return (records, try record(.unused(kind), origin.axis), origin)
        }
        note("fitting")
        let fit = try FittedActuator(
            records, nominal: FeltAcceleration.model(of: configuration))
        return (fit, fit.explanation(of: unused), origin)
    }

    /// Measures the response of an actuator with a band.
    ///
    /// - Parameter axis: the axis of the accelerometer; nil for the axis that moves most.
    func response(
        _ axis: SensorAxis?, in band: FrequencyBand
    ) throws -> (response: MeasuredResponse, origin: Origin) {
        let (records, unused, origin) = try use.perform {
            let origin = try begin(axis, probe: .probe(band))
            let records = FitRecords(
                main: try record(.main(band), origin.axis),
                gainUncertainty: gainUncertainty)
            return (records, try record(.unused(band), origin.axis), origin)
        }
        return (try MeasuredResponse(records, unused: unused, in: band), origin)
    }

    /// Prepares the board, and chooses the axis along which the sensor measures the strongest
    /// vibration.
    private func begin(
        _ axis: SensorAxis?, probe: Excitation
    ) throws -> Origin {
        let sensor = try board.sensor()
        // The fit needs the drive that it requests, regardless of the user's gain.
        try board.apply(HapticSettings())
        let axis =
            try axis
            ?? SensorAxis.allCases.map { (axis: $0, record: try record(probe, $0)) }
            .max { $0.record.strength < $1.record.strength }!.axis
        note("recording the \(sensor), axis \(axis)")
        return Origin(sensor: sensor, axis: axis)
    }

    /// Plays an excitation and records the motion.
    private func record(
        _ excitation: Excitation, _ axis: SensorAxis
    ) throws -> VibrationRecord {
        let pattern = stream(of: excitation)
        let recorded = try board.record(
            axis, playing: pattern, on: ActuatorMask(index: Int(actuator)), while: use.isWanted)
        guard !recorded.playing.progress.faults.contains(.budget) else { throw FitError.limited }
        guard recorded.acceleration.end == .complete else {
            throw RecordingError.noSamples(end: recorded.acceleration.end)
        }
        return try VibrationRecord(
            recorded.samples,
            drive: configuration.drive(
                playing: pattern.events, tick: pattern.tick, band: configuration.frequencyBand),
            sensor: recorded.acceleration.properties, sensitivity: Sensitivity(gain: gain ?? 1))
    }

    /// Returns the stream of an excitation. If the board would limit the level of the stream, the
    /// level is limited to the level that the actuator tolerates indefinitely.
    private func stream(of excitation: Excitation) -> CompiledPattern {
        let (pattern, configuration) = (excitation.compiled, configuration)
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let excess = budget.firstExcess(in: pattern.events, tick: pattern.tick) {
            Microseconds(configuration.tapLength(sharpness: $0))
        }
        return excess == nil ? pattern : excitation.limited(to: configuration.sustained).compiled
    }
}
