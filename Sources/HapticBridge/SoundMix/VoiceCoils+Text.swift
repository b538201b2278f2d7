// VoiceCoils as text: the outputs that commands accept.

extension VoiceCoils {
    /// The error for a text that does not describe an output, a band or a response.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The message, which states the position in the text and the content that is expected
        /// there.
        public var description: String
    }

    private static let prefix = "sound:"

    /// Creates a description from a text of the form `sound:DEVICE[:CHANNELS]`, such as
    /// `sound:hw:2:3,4`.
    ///
    /// DEVICE is an ALSA device name. The name may contain colons and commas. If the text after
    /// `sound:` contains more than one colon, CHANNELS follow the last colon; `sound:default::3,4`
    /// therefore selects channels of a device without arguments. If CHANNELS are omitted, channels
    /// 1 and 2 are used.
    ///
    /// - Throws: ``Refusal`` with the number of the character that is not as expected.
    public init(output text: String) throws(Refusal) {
        guard text.hasPrefix(Self.prefix) else {
            throw Refusal(
                description: "\"\(text)\": character 1: sound:DEVICE[:CHANNELS] is expected, for "
                    + "example sound:hw:2:3,4")
        }
        let name = text.dropFirst(Self.prefix.count)
        let colons = name.indices.filter { name[$0] == ":" }
        guard colons.count > 1, let last = colons.last else {
            self.init(device: String(name))
            try check(text, at: text.startIndex, name.startIndex)
            return
        }
        let list = name[name.index(after: last)...]
        let numbers = list.split(separator: ",", omittingEmptySubsequences: false)
        if let wrong = numbers.first(where: { !(1...64 ~= Int($0) ?? 0) }) {
            let place = text.distance(from: text.startIndex, to: wrong.startIndex) + 1
            throw Refusal(
                description: "\"\(text)\": character \(place): a channel from 1 to 64 is expected "
                    + "after the last colon; sound:DEVICE:1,2 if the colon belongs to the device")
        }
        let device = name[..<last]
        self.init(
            device: String(device.hasSuffix(":") ? device.dropLast() : device),
            channels: numbers.compactMap { Int($0) })
        try check(text, at: list.startIndex, name.startIndex)
    }

    private func check(
        _ text: String, at list: String.Index, _ name: String.Index
    ) throws(Refusal) {
        guard let mistake else { return }
        let index = isNamed ? list : name
        let place = text.distance(from: text.startIndex, to: index) + 1
        throw Refusal(description: "\"\(text)\": character \(place): \(mistake)")
    }

    /// The output as text, in the form that ``init(output:)`` reads.
    public var output: String {
        let list = channels.map(String.init).joined(separator: ",")
        return Self.prefix + device + (device.contains(":") ? ":" : "::") + list
    }

    /// Parses a band of the form `LOW-HIGH`, in hertz.
    ///
    /// - Throws: ``Refusal`` for a text that is not a band within ``bands``.
    public static func band(_ text: String) throws(Refusal) -> ClosedRange<Double> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let ends = parts.compactMap { Double($0) }
        guard parts.count == 2, ends.count == 2, ends[0] < ends[1],
            bands.contains(ends[0]), bands.contains(ends[1])
        else {
            throw Refusal(
                description: "\"\(text)\": a band within 10-1000 Hz is expected, for example 50-300"
            )
        }
        return ends[0]...ends[1]
    }

    /// Parses points of the form `FREQUENCY:GAIN,…`, such as `60:0.5,160:1,320:0.8`.
    ///
    /// - Throws: ``Refusal`` with the point that is not as expected.
    public static func response(_ text: String) throws(Refusal) -> [ResponsePoint] {
        var points: [ResponsePoint] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let numbers = part.split(separator: ":", omittingEmptySubsequences: false)
                .compactMap { Double($0) }.filter { $0 > 0 && $0.isFinite }
            guard numbers.count == 2, part.count(where: { $0 == ":" }) == 1,
                numbers[0] > points.last?.frequency ?? 0
            else {
                throw Refusal(
                    description: "\"\(part)\": FREQUENCY:GAIN is expected, both above 0, in "
                        + "ascending order of frequency, for example 60:0.5,160:1")
            }
            points.append(ResponsePoint(frequency: numbers[0], gain: numbers[1]))
        }
        return points
    }
}
