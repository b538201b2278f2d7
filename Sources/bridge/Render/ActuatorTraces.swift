// ActuatorTraces: what a board gives an actuator of a stream, and what is felt of it, by the models.

import BridgeLink
import HapticCompiler
import VirtualBoard

/// A stream on one actuator.
struct ActuatorTraces {
    let configuration: ActuatorConfiguration
    /// -255...255 of full scale, as the bus says it.
    let drive: [DriveChange]
    let felt: FeltAcceleration
    /// How the playback went.
    let progress: PlaybackProgress

    /// "LRA" or "ERM".
    var name: String { "\(configuration.kind)".uppercased() }

    /// The longest stream that is played for it: half an hour, in microseconds. It takes seconds then.
    static let lengthMax: Int64 = 1_800_000_000
    /// How long an actuator may ring after the last drive, in microseconds.
    private static let tail: Int64 = 500_000
    /// What is no longer worth showing, as part of the rated acceleration.
    private static let silence = 0.01

    /// Plays a stream on a board of this process. Throws `ToolError`.
    init(of file: PatternFile, on configuration: ActuatorConfiguration) throws(ToolError) {
        self.configuration = configuration
        do {
            let rehearsal = try Rehearsal(
                of: file.bytes, tick: Int(file.tick), length: file.renderedDuration,
                on: configuration)
            (drive, progress) = (rehearsal.drive, rehearsal.progress)
        } catch {
            throw ToolError(
                .internalError, "\(file.name): the board in this process did not play it: \(error)")
        }
        felt = FeltAcceleration(
            of: drive, on: configuration, for: file.renderedDuration + Self.tail)
    }

    /// Until when something is felt, in microseconds.
    var feltLength: Int64 {
        let last = felt.samples.lastIndex { $0 > Self.silence * felt.rated }
        return Int64((last ?? -1) + 1) * FeltAcceleration.step
    }

    /// The drive as steps, up to a time.
    func driveTrace(until end: Int64) -> Trace {
        var trace = Trace()
        var present = 0.0
        trace.append(0, 0)
        for change in drive where change.time <= end {
            trace.append(max(0, change.time), present)
            present = Double(change.drive)
            trace.append(max(0, change.time), present)
        }
        trace.append(end, present)
        return trace
    }

    /// The acceleration in g, up to a time.
    func accelerationTrace(until end: Int64) -> Trace {
        var trace = Trace()
        for (index, sample) in felt.samples.enumerated() {
            let time = Int64(index) * FeltAcceleration.step
            if time > end { break }
            trace.append(time, sample)
        }
        return trace
    }
}
