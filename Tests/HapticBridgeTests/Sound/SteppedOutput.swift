// SteppedOutput: a sound device that tests step.

import BridgeLink
import HapticBridgeSound
import SerialPorts

@testable import HapticBridge

/// A device that requests frames when a test steps it.
final class SteppedOutput: SoundOutput, SoundStream {
    private let rendering = LockedValue<SoundRendering?>(nil)
    private let failing = LockedValue<(@Sendable (String?) -> Void)?>(nil)
    private let coilRendering = LockedValue<SoundRendering?>(nil)
    private let losing = LockedValue<(@Sendable (String) -> Void)?>(nil)
    /// The error if the device of the voice coils cannot be opened; nil if it can be opened.
    let refusal = LockedValue<(any Error & Sendable)?>(nil)
    let isClosed = LockedValue(false)
    let isAvailable = true

    func samples(ofFile path: String) throws -> SoundSamples {
        let file = try SoundFile.read(path)
        return SoundSamples(channels: file.channels, sampleRate: file.sampleRate)
    }

    func open(
        _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
    ) -> any SoundStream {
        isClosed.withLock { $0 = false }
        rendering.withLock { $0 = render }
        failing.withLock { $0 = failed }
        return self
    }

    func open(
        _ coils: VoiceCoils, _ render: @escaping SoundRendering,
        lost: @escaping @Sendable (String) -> Void
    ) throws -> any SoundStream {
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        isClosed.withLock { $0 = false }
        coilRendering.withLock { $0 = render }
        losing.withLock { $0 = lost }
        return self
    }

    func waitUntilTimed() {}

    func close() { isClosed.withLock { $0 = true } }

    /// Reports the loss of the device with a reason, or its return.
    func report(failure: String?) { failing.withLock { $0 }?(failure) }

    /// Requests the frames that are played from a given time on.
    func frames(from start: HostTime, count: Int) -> SoundFrames {
        let window = SoundWindow(
            start: Double(start.microseconds), step: 1_000_000 / 48_000, count: count)
        return rendering.withLock { $0 }?(window) ?? SoundFrames(count: count)
    }

    /// Reports that the device of voice coils has stopped.
    func loseCoils(because reason: String) { losing.withLock { $0 }?(reason) }

    /// Requests the frames that voice coils play from a given time on.
    func coilFrames(from start: HostTime, count: Int) -> SoundFrames {
        let window = SoundWindow(
            start: Double(start.microseconds), step: 1_000_000 / 48_000, count: count)
        return coilRendering.withLock { $0 }?(window) ?? SoundFrames(count: count)
    }
}
