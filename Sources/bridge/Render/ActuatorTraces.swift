// ActuatorTraces: simulates the drive of a board for a stream and the resulting acceleration of an
// actuator.

import BridgeLink
import HapticCompiler
import Prediction
import VirtualBoard

/// The traces of a stream on one actuator.
struct ActuatorTraces {
    let configuration: ActuatorConfiguration
    /// The changes of the drive, -255...255 of full scale, as written to the bus.
    let drive: [DriveChange]
    let felt: FeltAcceleration
    /// The time by which the stream is later than the pattern, in microseconds.
    let lead: Int64
    /// The progress that the playback reported.
    let progress: PlaybackProgress

    /// The name of the kind: "LRA" or "ERM".
    var name: String { "\(configuration.kind)".uppercased() }

    /// The maximum length of a stream: half an hour, in microseconds. Simulating that takes
    /// seconds.
    static let lengthMax: Int64 = 1_800_000_000
    /// The acceleration below which the actuator counts as silent, as a fraction of the rated
    /// acceleration.
    private static let silence = 0.01

    /// Plays a stream on an in-process board. Throws `ToolError`.
    init(of file: PatternFile, on configuration: ActuatorConfiguration) throws(ToolError) {
        self.configuration = configuration
        lead = file.lead
        do {
            let rehearsal = try Rehearsal(
                of: file.bytes, tick: Int(file.tick), length: file.renderedDuration,
                on: configuration)
            (drive, progress) = (rehearsal.drive, rehearsal.progress)
        } catch {
            throw ToolError(
                .internalError, "\(file.name): the simulated board could not play it: \(error)")
        }
        felt = FeltAcceleration(
            of: drive, on: configuration, for: file.renderedDuration + FeltFidelity.tail)
    }

    /// The time in the pattern at which the actuator becomes silent, in microseconds.
    var feltLength: Int64 {
        let last = felt.samples.lastIndex { $0 > Self.silence * felt.rated }
        return Int64((last ?? -1) + 1) * FeltAcceleration.step - lead
    }

    /// Returns the drive as steps until `end`, in a picture in which the pattern begins at
    /// `origin`.
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

    /// Returns the acceleration in g until `end`, in a picture in which the pattern begins at
    /// `origin`.
    func accelerationTrace(from origin: Int64, until end: Int64) -> Trace {
        var trace = Trace()
        for (index, sample) in felt.samples.enumerated() {
            let time = Int64(index) * FeltAcceleration.step + origin - lead
            if time > end { break }
            trace.append(time, sample)
        }
        return trace
    }
}
