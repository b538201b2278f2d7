// ALSAStream: a sound stream to an ALSA device. ALSA's plug-ins may connect the default device to
// PulseAudio or PipeWire.

#if os(Linux)
    import BridgeLink
    import Foundation
    import HapticBridge
    import SerialPorts

    typealias SystemStream = ALSAStream

    /// A sound stream with a thread that writes blocks to a device as soon as the device accepts
    /// another block.
    ///
    /// The stream plays silence until the host time at which a frame becomes audible is known.
    final class ALSAStream: SoundStream {
        private let isClosing = LockedValue(false)
        /// True if frames are being rendered or the stream has ended.
        private let isTimed = LockedValue(false)
        /// Signals that the thread has ended; nil if no caller waits for its end.
        private let end: (any HostSemaphore)?

        /// The number of frames after which the timing of a device must be known: three seconds.
        private static let settlingLimit = 3 * SoundVoice.frameRate
        /// The maximum number of blocks in which the output fades out after a call of `close`.
        private static let closingBlocks = 20
        /// The maximum time for which `close` waits, in microseconds.
        private static let closingTime: Microseconds = 200_000

        /// Plays on the default device. A device that is absent or lost is opened again when it is
        /// available.
        init(
            _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
        ) {
            end = nil
            Thread.start("haptic-bridge.sound", qualityOfService: .userInteractive) {
                [isClosing] in
                var isFailed = false
                while true {
                    do throws(ALSAError) {
                        let device = try ALSADevice()
                        if isFailed { failed(nil) }
                        do throws(ALSAError) {
                            return try Self.play(render, on: device) { isClosing.withLock { $0 } }
                        } catch {
                            throw ALSAError(
                                "\(error); it is opened again when a device is available")
                        }
                    } catch {
                        failed(error.description)
                        isFailed = true
                    }
                    for _ in 0..<Self.retryNaps where !isClosing.withLock({ $0 }) {
                        hostClock.sleep(for: Self.nap)
                    }
                    guard !isClosing.withLock({ $0 }) else { return }
                }
            }
        }

        /// Plays on the device of voice coils until the device is lost.
        init(
            _ coils: VoiceCoils, _ render: @escaping SoundRendering,
            lost: @escaping @Sendable (String) -> Void
        ) throws(ALSAError) {
            let device = LockedValue<ALSADevice?>(try ALSADevice(coils))
            let end = hostClock.makeSemaphore()
            self.end = end
            Thread.start("haptic-bridge.coils", qualityOfService: .userInteractive) {
                [isClosing, isTimed] in
                defer {
                    isTimed.withLock { $0 = true }
                    end.signal()
                }
                let timed: SoundRendering = { window in
                    isTimed.withLock { $0 = true }
                    return render(window)
                }
                do throws(ALSAError) {
                    guard let device = device.exchange(nil) else { return }
                    try Self.play(timed, on: device) { isClosing.withLock { $0 } }
                } catch {
                    lost(error.description)
                }
            }
        }

        /// The number of 50 ms pauses before an absent or lost device is opened again: two seconds.
        private static let retryNaps = 40
        private static let nap: Microseconds = 50_000

        /// True if a device can be opened.
        static var isAvailable: Bool { (try? ALSADevice()) != nil }

        func waitUntilTimed() {
            while !isTimed.withLock({ $0 }) { hostClock.sleep(for: 1_000) }
        }

        func close() {
            isClosing.withLock { $0 = true }
            _ = end?.wait(until: Link.now() + Self.closingTime)
        }

        private static func play(
            _ render: SoundRendering, on device: ALSADevice, until isClosing: () -> Bool
        ) throws(ALSAError) {
            let blockLength = device.blockLength
            var clock = FrameClock()
            var timeline = FrameTimeline()
            var written: Int64 = 0
            var isSilent = true
            var closing = 0
            while true {
                closing += isClosing() ? 1 : 0
                var frames = SoundFrames(count: blockLength)
                if clock.isSettled, let audibleAt = clock.time(ofFrame: written) {
                    let (start, step) = timeline.next(
                        blockLength, audibleAt: audibleAt, isSilent: isSilent)
                    let window = SoundWindow(start: start, step: step, count: blockLength)
                    guard let rendered = render(window) else { return }
                    frames = rendered
                    isSilent = frames.isSilent
                }
                try device.write(frames)
                written += Int64(blockLength)
                if closing > 0, isSilent || closing > Self.closingBlocks { return device.drain() }
                guard clock.isSettled || written < Int64(Self.settlingLimit) else {
                    throw ALSAError("the sound device does not report when its frames are played")
                }
                if let (delay, time) = device.delay() {
                    clock.observe(frame: written - Int64(delay), at: time)
                }
            }
        }
    }
#endif
