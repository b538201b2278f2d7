// DeviceProfileReader: reads a profile from a JSON file, and reports the location of any error.

import HapticPatterns
import JSONText

extension DeviceProfile {
    /// Reads a profile from the bytes of a JSON file. All fields except `loopGain` and `origin` are
    /// required, and unknown fields are errors.
    ///
    /// The fields are: `name`, `kind` ("reference", "lra", "erm" or "wide-band"), `description`,
    /// `tapDullMicroseconds` and `tapSharpMicroseconds` (1,000...250,000, SPEC 8), `sustainedLevel`
    /// (0.1...1, the level that the actuator tolerates indefinitely) and `fullLevelMilliseconds`
    /// (0...60,000, the time for which the actuator tolerates full level). Profiles of kind "lra"
    /// or "erm" also have `timeConstantMilliseconds` (1...1,000), `closedLoop` and `overdrive`
    /// (1...4, as a multiple of the rated voltage). Profiles of kind "erm" also have `startVoltage`
    /// (0...1) and `runningVoltage` (0...0.9), as fractions of the rated voltage, and may have
    /// `loopGain` (0.1...30), the gain of the closed loop. `origin` is an object that describes the
    /// measurement that determined the profile. Its members are not read, but a profile with an
    /// origin is ``isMeasured``. Profiles of kind "wide-band" have `lowHertz` and `highHertz`
    /// (80...406, `highHertz` above `lowHertz`), `law` ("logarithmic", "linear" or "absolute") and
    /// `response`, an array of points in ascending order of frequency. A point such as
    /// `[160, 0.8]` consists of the frequency in hertz and the acceleration per volt in any unit.
    ///
    /// - Throws: ``DeviceProfileError`` with the location of the first error.
    public init(json bytes: [UInt8]) throws(DeviceProfileError) {
        var fields = try DeviceProfileFields(json: bytes)
        name = try fields.string("name")
        kind = try fields.kind("kind")
        description = try fields.string("description")
        tapDull = try fields.microseconds("tapDullMicroseconds", in: 1_000...250_000)
        tapSharp = try fields.microseconds(
            "tapSharpMicroseconds", in: 1_000...Double(tapDull))
        plant = try fields.plant(of: kind)
        band = try fields.band(of: kind)
        budget = EnergyBudget(
            sustained: try fields.number("sustainedLevel", in: 0.1...1),
            full: try fields.microseconds("fullLevelMilliseconds", in: 0...60_000) * 1_000)
        isMeasured = try fields.readOrigin()
        try fields.finish()
    }
}

/// The members of a profile's JSON object that have not been read yet.
private struct DeviceProfileFields {
    private let root: JSONValue
    private var rest: [JSONObject.Member]

    init(json bytes: [UInt8]) throws(DeviceProfileError) {
        do {
            root = try JSONReader.read(bytes, mode: .strict).value
        } catch {
            throw DeviceProfileError(location: error.location, message: error.message)
        }
        guard case .object(let object) = root.kind else {
            throw DeviceProfileError(
                location: root.location, message: "a profile must be a JSON object")
        }
        rest = object.members
    }

    mutating func string(_ key: String) throws(DeviceProfileError) -> String {
        let value = try removeValue(of: key)
        guard case .string(let text) = value.kind, !text.isEmpty else {
            throw wrong(value, key, "a string that is not empty")
        }
        return text
    }

    mutating func kind(_ key: String) throws(DeviceProfileError) -> DeviceProfile.Kind {
        let value = try removeValue(of: key)
        guard case .string(let text) = value.kind, let kind = DeviceProfile.Kind(rawValue: text)
        else {
            let names = DeviceProfile.Kind.allCases.map { "\"\($0.rawValue)\"" }
            throw wrong(value, key, "one of \(names.joined(separator: ", "))")
        }
        return kind
    }

    mutating func bool(_ key: String) throws(DeviceProfileError) -> Bool {
        let value = try removeValue(of: key)
        guard case .bool(let flag) = value.kind else { throw wrong(value, key, "true or false") }
        return flag
    }

    mutating func number(
        _ key: String, in range: ClosedRange<Double>, above least: Double = -.infinity
    ) throws(DeviceProfileError) -> Double {
        let value = try removeValue(of: key)
        guard case .number(let text) = value.kind, let number = Double(text),
            range.contains(number), number > least
        else {
            let limit = least.isFinite ? " that is greater than \(least)" : ""
            throw wrong(
                value, key, "a number of \(range.lowerBound) to \(range.upperBound)\(limit)")
        }
        return number
    }

    mutating func microseconds(
        _ key: String, in range: ClosedRange<Double>, scale: Double = 1
    ) throws(DeviceProfileError) -> Microseconds {
        Microseconds((try number(key, in: range) * scale).rounded())
    }

    mutating func plant(of kind: DeviceProfile.Kind) throws(DeviceProfileError) -> Plant? {
        guard kind == .lra || kind == .erm else { return nil }
        let isERM = kind == .erm
        return Plant(
            kind: isERM ? .erm : .lra,
            timeConstant: try microseconds("timeConstantMilliseconds", in: 1...1_000, scale: 1_000),
            overdrive: try number("overdrive", in: 1...4), isClosedLoop: try bool("closedLoop"),
            start: isERM ? try number("startVoltage", in: 0...1) : 0,
            running: isERM ? try number("runningVoltage", in: 0...0.9) : 0,
            loopGain: isERM && has("loopGain")
                ? try number("loopGain", in: 0.1...30) : Plant.typicalLoopGain)
    }

    /// Reads the description of how the profile was determined, and returns whether the description
    /// exists. It must be an object.
    mutating func readOrigin() throws(DeviceProfileError) -> Bool {
        guard has("origin") else { return false }
        let value = try removeValue(of: "origin")
        guard case .object = value.kind else { throw wrong(value, "origin", "an object") }
        return true
    }

    private func has(_ key: String) -> Bool { rest.contains { $0.key == key } }

    mutating func band(of kind: DeviceProfile.Kind) throws(DeviceProfileError) -> FrequencyBand? {
        guard kind == .wideBand else { return nil }
        let limits = DeviceProfile.frequencies
        let low = try number("lowHertz", in: limits)
        let high = try number("highHertz", in: limits, above: low)
        let value = try removeValue(of: "law")
        guard case .string(let text) = value.kind, let law = FrequencyBand.Law(rawValue: text)
        else { throw wrong(value, "law", "\"logarithmic\", \"linear\" or \"absolute\"") }
        return FrequencyBand(
            low...high, response: try response(), law: law, idle: DeviceProfile.driverIdle)
    }

    private mutating func response() throws(DeviceProfileError) -> [FrequencyBand.ResponsePoint] {
        let value = try removeValue(of: "response")
        guard case .array(let entries) = value.kind else {
            throw wrong(value, "response", "an array of points")
        }
        var points: [FrequencyBand.ResponsePoint] = []
        for entry in entries {
            guard let numbers = entry.positiveNumbers, numbers.count == 2,
                numbers[0] > points.last?.frequency ?? 0
            else {
                throw wrong(
                    entry, "response",
                    "an array of points [hertz, gain], both above 0, in ascending order of frequency"
                )
            }
            points.append(FrequencyBand.ResponsePoint(frequency: numbers[0], gain: numbers[1]))
        }
        return points
    }

    /// Throws an error if a field has not been read, so that a misspelled field is not ignored.
    func finish() throws(DeviceProfileError) {
        guard let member = rest.first else { return }
        throw DeviceProfileError(
            location: member.keyLocation, message: "the field \"\(member.key)\" is unknown")
    }

    private mutating func removeValue(of key: String) throws(DeviceProfileError) -> JSONValue {
        guard let index = rest.firstIndex(where: { $0.key == key }) else {
            throw DeviceProfileError(
                location: root.location, message: "the profile lacks the field \"\(key)\"")
        }
        return rest.remove(at: index).value
    }

    private func wrong(
        _ value: JSONValue, _ key: String, _ expected: String
    ) -> DeviceProfileError {
        DeviceProfileError(location: value.location, message: "\"\(key)\" must be \(expected)")
    }
}

extension JSONValue {
    /// The elements of an array of finite numbers above 0; nil for any other value.
    fileprivate var positiveNumbers: [Double]? {
        guard case .array(let elements) = kind else { return nil }
        var numbers: [Double] = []
        for element in elements {
            guard case .number(let text) = element.kind, let number = Double(text), number > 0,
                number.isFinite
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

extension DeviceProfile {
    /// The frequencies that the driver can render, in hertz (SPEC 8.9).
    package static let frequencies = 80.0...406.0
    /// The time in each period during which the driver, in open loop, does not drive the actuator,
    /// in seconds (SLOS854D 8.5.2.1).
    package static let driverIdle = 800e-6
}
