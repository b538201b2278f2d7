// DriveHistory: the recent past of a drive plan. With this history, another plan can replace the
// drive plan at any time.

import HapticPatterns

/// The planned drive since the time for which the state was last requested.
///
/// The planner is ahead of the time at which another plan may replace its plan, so the planned
/// drive since the last request is stored. To limit the length of the history, the owner must
/// request the state regularly.
struct DriveHistory: Sendable {
    private var model: DriveModel
    private var pulses: ArraySlice<(pulse: DrivePulse, tap: VoiceTap)> = []
    private var textures: ArraySlice<VoiceTap> = []
    private var state: DriveState

    init(plant: Plant, state: DriveState) {
        model = DriveModel(plant: plant, state)
        self.state = state
    }

    mutating func append(_ piece: MixedPiece) { model.append(piece) }

    mutating func append(_ pulse: DrivePulse, for tap: VoiceTap) { pulses.append((pulse, tap)) }

    mutating func append(texture taps: [VoiceTap]) { textures += taps }

    /// The times of the taps in the pattern, in microseconds.
    var tapTimes: [Microseconds] { pulses.map { $0.tap.time } }

    /// Returns the state at the given time and discards the history before that time. If the given
    /// time is earlier than the time of the last call, the time of the last call is used.
    ///
    /// - Parameter lag: the delay of the drive relative to the plan, in microseconds. Taps that
    ///   have begun in the plan, but are not driven yet because of this delay, are listed in the
    ///   state as waiting.
    mutating func state(at end: Microseconds, behind lag: Microseconds) -> DriveState {
        let time = max(end - lag, model.time)
        let end = max(end, time)
        while let pulse = pulses.first?.pulse, pulse.time < time {
            model.advance(to: pulse.time)
            model.play(pulse)
            if pulse.purpose == .interruption { state.lastInterruption = pulse.time }
            pulses.removeFirst()
        }
        model.advance(to: time)
        while let tap = textures.first, tap.time < time {
            state.texture = tap
            textures.removeFirst()
        }
        var present = state
        present.amplitude = model.state
        present.pulse = model.pulse?.earlier(by: time)
        present.waiting = pulses.filter { $0.pulse.waits(at: end) }
            .map { DriveMoment($0.tap.earlier(by: end), at: max(0, $0.pulse.time - end)) }
        present.lastInterruption? -= time
        present.texture?.time -= time
        return present
    }
}
