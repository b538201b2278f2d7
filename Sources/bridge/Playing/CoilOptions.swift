// CoilOptions: the options for voice coils on a sound device.

import ArgumentParser
import HapticBridge

/// The options that describe voice coils, with their limits.
struct CoilOptions: ParsableArguments {
    @Option(
        name: .customLong("output"),
        help: ArgumentHelp(
            "Play on voice coils of a sound device: sound:DEVICE[:CHANNELS].",
            discussion: """
                DEVICE is an ALSA device name (`aplay -L`). CHANNELS are the numbers of the left \
                and the right coil, or of a single coil, from 1 to 64: sound:hw:2:3,4 plays on \
                channels 3 and 4 of hw:2. If more than one colon follows `sound:`, CHANNELS follow \
                the last one: sound:default::3,4 plays on channels 3 and 4 of a device without \
                arguments. Default: channels 1 and 2. No board is needed; with --virtual, --port \
                or another board option, the pattern plays on the board at the same time. Linux \
                only.
                """,
            valueName: "output"))
    var text: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The frequencies of sharpness 0 and 1, within 10-1000 Hz. Default: 65-300.",
            discussion: "Equal steps of sharpness correspond to equal ratios of frequency.",
            valueName: "low-high"))
    var band: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The response of the coils: FREQUENCY:GAIN,… in ascending order of frequency.",
            discussion: """
                GAIN is the acceleration for a given amplitude, in any unit. With the response, an \
                intensity is equally strong at every frequency: the frequency of the band with the \
                lowest gain has the maximum level, and all other frequencies have a lower level. \
                Default: all frequencies have the same gain.
                """,
            valueName: "points"))
    var response: String?

    @Option(
        name: .customLong("level"), parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum level, -60 to 0 dBFS. Default: -6.", valueName: "dbfs"))
    var maximumLevel: Double?

    @Option(
        name: .customLong("longest"), parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum duration of output without a pause of 1 s, 0.1 to 3600 s. Default: 30.",
            discussion: "Afterwards, a coil is silent until the pattern has paused for 1 s.",
            valueName: "seconds"))
    var maximumDuration: Double?

    func validate() throws {
        let others = [
            band.map { _ in "--band" }, response.map { _ in "--response" },
            maximumLevel.map { _ in "--level" }, maximumDuration.map { _ in "--longest" },
        ]
        if text == nil, let other = others.compactMap(\.self).first {
            throw ValidationError("\(other) needs --output.")
        }
        if let maximumLevel, !VoiceCoils.levels.contains(maximumLevel) {
            throw ValidationError("--level must be -60 to 0 dBFS.")
        }
        if let maximumDuration, !(0.1...3_600 ~= maximumDuration) {
            throw ValidationError("--longest must be 0.1 to 3600 seconds.")
        }
        _ = try read("--band", band, VoiceCoils.band)
        _ = try read("--response", response, VoiceCoils.response)
        _ = try read("--output", text, VoiceCoils.init(output:))
    }

    private func read<Value>(
        _ option: String, _ text: String?, _ body: (String) throws -> Value
    ) throws -> Value? {
        do {
            return try text.map(body)
        } catch let refusal as VoiceCoils.Refusal {
            throw ValidationError("\(option) \(refusal).")
        }
    }

    /// The voice coils; nil without `--output`.
    var coils: VoiceCoils? {
        get throws {
            guard var coils = try text.map(VoiceCoils.init(output:)) else { return nil }
            coils.band = try band.map(VoiceCoils.band) ?? coils.band
            coils.response = try response.map(VoiceCoils.response) ?? coils.response
            coils.maximumLevel = maximumLevel ?? coils.maximumLevel
            coils.maximumDuration =
                maximumDuration.map(Duration.seconds) ?? coils.maximumDuration
            return coils
        }
    }
}
