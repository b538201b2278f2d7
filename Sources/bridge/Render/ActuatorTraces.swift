// ActuatorTraces: simulates the drive of a board for a stream and the resulting acceleration of an
// actuator.

import BridgeLink
import HapticCompiler
import Prediction
import ToolSupport
import VirtualBoard

/// The traces of a stream on one actuator.
struct ActuatorTraces {
    let configuration: ActuatorConfiguration
    /// The changes in the drive as written to the bus, -255...255. The value 255 is full scale.
    let drive: [DriveChange]
    let felt: FeltAcceleration
    /// The time in the stream at which the pattern begins, in microseconds.
    let lead: Int64
    /// The progress that the simulated board reported at the end.
    let progress: PlaybackProgress

    /// The name of the kind of the actuator: "LRA", "ERM" or "wide-band".
    var name: String { "\(configuration.kind)" }

    /// The acceleration below which the actuator is considered silent, as a fraction of the rated
    /// acceleration.
    private static let silence = 0.01

    /// Plays a stream on a simulated board in this process. Throws `ToolError`.
    ///
    /// - Parameter follow: a closure that is called with the progress, 0 to 1.
    private init(
        of file: PatternFile, on model: RenderingTarget.Model, follow: (Double) -> Void
    ) throws(ToolError) {
        configuration = model.configuration
        lead = file.lead
        do {
            let rehearsal = try Rehearsal(
                of: file.bytes, tick: Int(file.tick), length: file.renderedDuration,
                on: configuration, follow: follow)
            (drive, progress) = (rehearsal.drive, rehearsal.progress)
        } catch {
            throw ToolError(
                .internalError, "\(file.name): the simulated board could not play it: \(error)")
        }
        felt = FeltAcceleration(
            of: drive, on: configuration, band: model.profile.band,
            for: file.renderedDuration + FeltFidelity.tail)
    }

    /// The time in the pattern at which the actuator becomes silent, in microseconds.
    var feltLength: Int64 {
        let last = felt.samples.intervals.last { $0.value > Self.silence * felt.rated }
        return Int64(last?.range.upperBound ?? 0) * FeltAcceleration.step - lead
    }

    /// Returns the drive as steps until the time `end`, for a picture in which the pattern begins
    /// at the time `origin`.
    func driveTrace(from origin: Int64, until end: Int64) -> Trace {
        var trace = Trace()
        var present = 0.0
        trace.append(0, 0)
        for change in drive {
            let time = max(0, change.time + origin - lead)
            guard time <= end else { break }
            trace.append(time, present)
            present = Double(change.drive)
            trace.append(time, present)
        }
        trace.append(end, present)
        return trace
    }

    /// Returns the frequency in hertz for each interval in which an actuator with a band is driven,
    /// until the time `end`.
    func frequencyTraces(from origin: Int64, until end: Int64) -> [Trace] {
        var traces: [Trace] = []
        var present = 0.0
        for change in drive {
            let time = max(0, change.time + origin - lead)
            guard time <= end else { break }
            if present > 0 { traces[traces.count - 1].append(time, present) }
            if present == 0, change.frequency > 0 { traces.append(Trace()) }
            if change.frequency > 0 { traces[traces.count - 1].append(time, change.frequency) }
            present = change.frequency
        }
        return traces
    }

    /// Returns the acceleration in g until the time `end`, for a picture in which the pattern
    /// begins at the time `origin`.
    func accelerationTrace(from origin: Int64, until end: Int64) -> Trace {
        felt.trace(from: origin - lead, until: end)
    }

    /// Returns the traces of a file on each actuator. Displays the progress if the simulation takes
    /// a long time. Throws `ToolError`.
    static func all(
        of file: PatternFile, on models: [RenderingTarget.Model], options: CompilerOptions,
        isQuiet: Bool
    ) throws(ToolError) -> [(file: PatternFile, traces: ActuatorTraces)] {
        let display = WorkDisplay("predicting \(file.name)", isQuiet: isQuiet)
        defer { display.clear() }
        var all: [(file: PatternFile, traces: ActuatorTraces)] = []
        for model in models {
            let compiled = file.compiled(for: model.profile, options: options)
            let traces = try ActuatorTraces(of: compiled, on: model) { progress in
                display.show((Double(all.count) + progress) / Double(models.count))
            }
            all.append((compiled, traces))
        }
        return all
    }
}
