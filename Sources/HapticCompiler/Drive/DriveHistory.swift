// DriveHistory: the recent past of a plan, so that another plan can replace it at any time.

import HapticPatterns

/// Follows a plan at a distance.
///
/// The planner is ahead of the time at which it may be replaced. The history keeps what was planned
/// since the last time that it was asked for, so it is asked regularly.
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

    /// Returns the state at a time. What was driven before it is forgotten; an earlier time counts as the
    /// last one.
    ///
    /// - Parameter lag: the time by which the drive is behind the plan, in microseconds. The taps that are
    ///   therefore not driven by then wait.
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
