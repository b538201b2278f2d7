// ALSAStream: a stream to the default device of ALSA. ALSA's plug-ins may connect this device to
// PulseAudio or PipeWire.

#if os(Linux)
    import CALSA
    import BridgeLink
    import Foundation
    import HapticBridge
    import SerialPorts

    typealias SystemStream = ALSAStream

    /// A sound stream with a thread that writes blocks of 10 ms to a device as soon as the device
    /// accepts another block.
    ///
    /// The stream plays silence until the host time at which a frame becomes audible is known.
    final class ALSAStream: SoundStream {
        private let isClosing = LockedValue(false)

        /// The number of frames of a block: 10 ms.
        private static let blockLength = SoundVoice.frameRate / 100
        /// The number of frames after which the timing of a device must be known: three seconds.
        private static let settlingLimit = 3 * SoundVoice.frameRate

        init(
            _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
        ) {
            Thread.start("haptic-bridge.sound", qualityOfService: .userInteractive) {
                [isClosing] in
                var isFailed = false
                while true {
                    do throws(ALSAError) {
                        let device = try ALSADevice()
                        if isFailed { failed(nil) }
                        return try Self.play(render, on: device) { isClosing.withLock { $0 } }
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

        /// The number of 50-ms pauses before an absent or lost device is opened again: two seconds.
        private static let retryNaps = 40
        private static let nap: Microseconds = 50_000

        /// True if a device can be opened.
        static var isAvailable: Bool { (try? ALSADevice()) != nil }

        func close() { isClosing.withLock { $0 = true } }

        private static func play(
            _ render: SoundRendering, on device: ALSADevice, until isClosing: () -> Bool
        ) throws(ALSAError) {
            var clock = FrameClock()
            var timeline = FrameTimeline()
            var written: Int64 = 0
            var isSilent = true
            while true {
                let isLast = isClosing()
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
                if isLast { return device.drain() }
                guard clock.isSettled || written < Int64(Self.settlingLimit) else {
                    throw ALSAError("the sound device does not report when its frames are played")
                }
                if let (delay, time) = device.delay() {
                    clock.observe(frame: written - Int64(delay), at: time)
                }
            }
        }
    }

    /// The reason why a device cannot play.
    struct ALSAError: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }

        /// Returns the error for a device that cannot be opened.
        static func absent(_ code: Int32) -> ALSAError {
            ALSAError(
                "the sound device cannot be opened (\(String(cString: snd_strerror(code)))); `aplay -L` "
                    + "lists devices")
        }

        /// Returns the error for a device that has stopped, for example because it was unplugged.
        static func lost(_ code: Int32) -> ALSAError {
            ALSAError(
                "the sound device has stopped (\(String(cString: snd_strerror(code)))); it is "
                    + "opened again when a device is available")
        }
    }

    /// The default device of ALSA.
    final class ALSADevice {
        private let device: OpaquePointer

        /// The requested time from writing a frame until it is audible, in microseconds. The device
        /// may use another value.
        private static let latency: UInt32 = 25_000

        init() throws(ALSAError) {
            alsa_silence()
            var device: OpaquePointer?
            let code = snd_pcm_open(&device, "default", SND_PCM_STREAM_PLAYBACK, 0)
            guard code == 0, let device else { throw .absent(code) }
            self.device = device
            let set = snd_pcm_set_params(
                device, SND_PCM_FORMAT_FLOAT_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2,
                UInt32(SoundVoice.frameRate), 1, Self.latency)
            guard set == 0 else { throw .absent(set) }
        }

        deinit { snd_pcm_close(device) }

        /// Writes frames when the buffer of the device has room for them.
        func write(_ frames: SoundFrames) throws(ALSAError) {
            let samples = frames.interleaved
            var first = 0
            while first < frames.count {
                let count = samples.withUnsafeBufferPointer {
                    snd_pcm_writei(
                        device, $0.baseAddress! + 2 * first,
                        snd_pcm_uframes_t(frames.count - first))
                }
                if count >= 0 {
                    first += count
                } else {
                    // After an underrun, the device is restarted.
                    let code = snd_pcm_recover(device, Int32(count), 1)
                    guard code == 0 else { throw .lost(code) }
                }
            }
        }

        /// Returns the number of frames that are written but not audible yet, and the host time of
        /// that measurement in microseconds; nil while the device is not running.
        func delay() -> (frames: Int, time: Double)? {
            guard snd_pcm_state(device) == SND_PCM_STATE_RUNNING else { return nil }
            var delay: snd_pcm_sframes_t = 0
            let before = Link.now()
            guard snd_pcm_delay(device, &delay) == 0 else { return nil }
            let after = Link.now()
            let middle = Double(before.microseconds + after.microseconds) / 2
            return (delay, middle)
        }

        /// Waits until all frames have been played.
        func drain() { snd_pcm_drain(device) }
    }
#endif
