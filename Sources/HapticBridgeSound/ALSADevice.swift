// ALSADevice: an ALSA device that plays frames.

#if os(Linux)
    import CALSA
    import BridgeLink
    import HapticBridge
    import SerialPorts

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
            ALSAError("the sound device has stopped (\(String(cString: snd_strerror(code))))")
        }
    }

    /// An open ALSA device, used by one thread at a time.
    final class ALSADevice: @unchecked Sendable {
        private let device: OpaquePointer
        private let format: snd_pcm_format_t
        private let layout: SoundLayout
        /// The number of frames that are written at a time.
        let blockLength: Int

        /// The requested time from writing a frame until it is audible, in microseconds. The device
        /// may use a different value.
        private static let latency: UInt32 = 25_000
        /// The value of ``latency`` for voice coils, which must come to rest within 20 ms.
        private static let coilLatency: UInt32 = 10_000
        /// The formats in order of preference.
        private static let formats = [
            SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_S16_LE,
        ]
        /// The maximum number of channels that a device may have in addition to those that play.
        private static let otherChannelsMax = 8

        /// Opens the default device.
        convenience init() throws(ALSAError) {
            try self.init(
                "default", [.stereo], [SND_PCM_FORMAT_FLOAT_LE], latency: Self.latency,
                blockLength: SoundVoice.frameRate / 100)
        }

        /// Opens the device that drives voice coils. The device is opened with the smallest number
        /// of channels that includes the channels of the coils.
        convenience init(_ coils: VoiceCoils) throws(ALSAError) {
            let channels = coils.channels.map { $0 - 1 }
            let least = coils.channels.max() ?? 1
            try self.init(
                coils.device,
                (least...(least + Self.otherChannelsMax)).map {
                    SoundLayout(channels: channels, count: $0)
                }, Self.formats, latency: Self.coilLatency,
                blockLength: SoundVoice.frameRate / 500)
        }

        /// Opens a device with the first layout and format that it accepts.
        private init(
            _ name: String, _ layouts: [SoundLayout], _ formats: [snd_pcm_format_t],
            latency: UInt32, blockLength: Int
        ) throws(ALSAError) {
            alsa_silence()
            var device: OpaquePointer?
            let code = snd_pcm_open(&device, name, SND_PCM_STREAM_PLAYBACK, 0)
            guard code == 0, let device else { throw .absent(code) }
            var refusal: Int32 = 0
            for layout in layouts {
                for format in formats {
                    let set = snd_pcm_set_params(
                        device, format, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(layout.count),
                        UInt32(SoundVoice.frameRate), 1, latency)
                    if set == 0 {
                        (self.device, self.format, self.layout) = (device, format, layout)
                        self.blockLength = blockLength
                        return
                    }
                    refusal = refusal == 0 ? set : refusal
                }
            }
            snd_pcm_close(device)
            throw .absent(refusal)
        }

        deinit { snd_pcm_close(device) }

        /// Writes frames when the buffer of the device has room for them.
        func write(_ frames: SoundFrames) throws(ALSAError) {
            let samples = frames.interleaved(in: layout)
            switch format {
            case SND_PCM_FORMAT_S32_LE: try write(samples.map(\.int32))
            case SND_PCM_FORMAT_S16_LE: try write(samples.map(\.int16))
            default: try write(samples)
            }
        }

        private func write<Sample>(_ samples: [Sample]) throws(ALSAError) {
            var first = 0
            while first < samples.count {
                let count = samples.withUnsafeBufferPointer {
                    snd_pcm_writei(
                        device, $0.baseAddress! + first,
                        snd_pcm_uframes_t((samples.count - first) / layout.count))
                }
                if count >= 0 {
                    first += count * layout.count
                } else {
                    // After an underrun, the device is restarted.
                    let code = snd_pcm_recover(device, Int32(count), 1)
                    guard code == 0 else { throw .lost(code) }
                }
            }
        }

        /// Returns the number of frames that have been written but are not audible yet, and the
        /// host time of that measurement in microseconds; nil while the device is not running.
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

    extension Float {
        /// The sample as a whole number of 32 bits.
        fileprivate var int32: Int32 {
            Int32(clamping: Int64((Double(self) * 0x7FFF_FFFF).rounded()))
        }
        /// The sample as a whole number of 16 bits.
        fileprivate var int16: Int16 { Int16(clamping: Int((self * 0x7FFF).rounded())) }
    }
#endif
