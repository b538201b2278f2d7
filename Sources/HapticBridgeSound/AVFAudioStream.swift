// AVFAudioStream: a stream to the default sound device of macOS. This code has not been tested on a
// Mac yet.

#if canImport(AVFAudio)
    import AVFAudio
    import BridgeLink
    import Foundation
    import HapticBridge
    import SerialPorts

    typealias SystemStream = AVFAudioStream

    /// A sound stream whose blocks the system requests on its own thread, with the host time of
    /// each block.
    final class AVFAudioStream: SoundStream, @unchecked Sendable {
        private let engine = AVAudioEngine()
        private let life = LockedValue(Life())

        /// The state of the stream and the observer of its device. The engine is started and
        /// stopped while the lock of this state is held.
        private struct Life {
            var isClosed = false
            var observer: (any NSObjectProtocol)?
        }

        private struct State {
            var timeline = FrameTimeline()
            var isSilent = true
        }

        init(
            _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
        ) {
            let format = AVAudioFormat(
                standardFormatWithSampleRate: Double(SoundVoice.frameRate), channels: 2)!
            let state = LockedValue(State())
            let output = engine.outputNode
            let source = AVAudioSourceNode(format: format) { isSilence, stamp, count, buffers in
                let latency = output.presentationLatency
                let ahead =
                    AVAudioTime.seconds(forHostTime: stamp.pointee.mHostTime)
                    - AVAudioTime.seconds(forHostTime: mach_absolute_time())
                let audibleAt = Double(Link.now().microseconds) + (ahead + latency) * 1_000_000
                let frames = state.withLock { state -> SoundFrames? in
                    let (start, step) = state.timeline.next(
                        Int(count), audibleAt: audibleAt, isSilent: state.isSilent)
                    let frames = render(
                        SoundWindow(start: start, step: step, count: Int(count)))
                    state.isSilent = frames?.isSilent ?? true
                    return frames
                }
                let channels = UnsafeMutableAudioBufferListPointer(buffers)
                for (channel, samples) in zip(channels, [frames?.left, frames?.right]) {
                    Self.copy(samples, to: channel, count: Int(count))
                }
                isSilence.pointee = ObjCBool(frames?.isSilent ?? true)
                return noErr
            }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: format)
            // The system stops the engine when the device changes, for example when headphones are
            // plugged in.
            let observer = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
            ) { [weak self] _ in self?.start(failed) }
            life.withLock { $0.observer = observer }
            start(failed)
        }

        /// The error for voice coils: on this system, the library does not select the channels of a
        /// device.
        struct Unsupported: Error, CustomStringConvertible {
            let description = "voice coils can be played only on Linux, with ALSA"
        }

        /// Throws an error, because voice coils are not supported.
        init(
            _ coils: VoiceCoils, _ render: SoundRendering,
            lost: @escaping @Sendable (String) -> Void
        ) throws(Unsupported) { throw Unsupported() }

        /// Starts the engine on another thread, because starting it may take a long time. Retries
        /// every two seconds while there is no device.
        private func start(_ failed: @escaping @Sendable (String?) -> Void) {
            Thread.start("haptic-bridge.sound", qualityOfService: .userInteractive) { [self] in
                while !life.withLock({ $0.isClosed }) {
                    do {
                        try life.withLock { life in
                            if !life.isClosed, !engine.isRunning { try engine.start() }
                        }
                        return failed(nil)
                    } catch {
                        failed("the sound device cannot be opened (\(error.localizedDescription))")
                    }
                    hostClock.sleep(for: Self.retryInterval)
                }
            }
        }

        /// The interval between attempts to start an absent device, in microseconds.
        private static let retryInterval: Microseconds = 2_000_000

        private static func copy(_ samples: [Float]?, to buffer: AudioBuffer, count: Int) {
            guard let target = buffer.mData?.assumingMemoryBound(to: Float.self) else { return }
            for index in 0..<count {
                target[index] = samples.map { min(max($0[index], -1), 1) } ?? 0
            }
        }

        /// True if there is an output with channels.
        static var isAvailable: Bool {
            AVAudioEngine().outputNode.outputFormat(forBus: 0).channelCount > 0
        }

        func waitUntilTimed() {}

        func close() {
            // The fading sounds are played before the engine stops.
            Thread.start("haptic-bridge.sound.end", qualityOfService: .userInitiated) {
                [self] in
                hostClock.sleep(for: 20_000)
                life.withLock { life in
                    life.isClosed = true
                    if let observer = life.observer {
                        NotificationCenter.default.removeObserver(observer)
                    }
                    engine.stop()
                }
            }
        }
    }
#endif
