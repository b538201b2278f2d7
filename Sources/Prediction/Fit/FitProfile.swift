// FitProfile: the file of a profile that was determined by a fit, and the origin of the profile.

import HapticCompiler
import JSONText

/// A profile that was determined by a fit, and its origin.
public struct FitProfile: Sendable {
    /// The profile.
    public var profile: DeviceProfile
    /// The members of the origin, in order: their names and texts.
    public var origin: [(name: String, text: String)]
    /// The fitted values, each with its name in the file, and its number of decimals.
    public var values: [(name: String, value: FittedActuator.Value, decimals: Int)]
    /// The measured accelerations of an actuator with a band.
    public var accelerations: [MeasuredResponse.Point]
    /// The part of the vibration during a pattern that was not used for the fit, and that the fit does
    /// not explain.
    public var unexplained: Double

    /// Creates a profile from the result of a fit.
    public init(
        _ profile: DeviceProfile, origin: [(name: String, text: String)],
        values: [(name: String, value: FittedActuator.Value, decimals: Int)] = [],
        accelerations: [MeasuredResponse.Point] = [], unexplained: Double
    ) {
        (self.profile, self.origin) = (profile, origin)
        (self.values, self.accelerations) = (values, accelerations)
        self.unexplained = unexplained
    }

    /// The bytes of the file.
    public var bytes: [UInt8] { Array(JSONWriter.text(of: json).utf8) }

    /// The profile as it is written to a file.
    var json: JSONValue {
        let budget = profile.budget
        var members: [JSONObject.Member] = [
            .init("name", text(profile.name)),
            .init("kind", text(profile.kind.rawValue)),
            .init("description", text(profile.description)),
            .init("tapDullMicroseconds", .number(Double(profile.tapDull), decimals: 0)),
            .init("tapSharpMicroseconds", .number(Double(profile.tapSharp), decimals: 0)),
            .init(
                "sustainedLevel",
                .number(max(0.1, Double(budget.sustained) / 255), decimals: 4)),
            .init(
                "fullLevelMilliseconds", .number(Double(budget.fullTime ?? 0) / 1_000, decimals: 0)),
        ]
        if let plant = profile.plant {
            members += [
                .init(
                    "timeConstantMilliseconds",
                    .number(Double(plant.timeConstant) / 1_000, decimals: 3)),
                .init("closedLoop", JSONValue(.bool(plant.isClosedLoop))),
                .init("overdrive", .number(min(max(1, plant.overdrive), 4), decimals: 3)),
            ]
            if plant.kind == .erm {
                members += [
                    .init("startVoltage", .number(min(plant.start, 1), decimals: 3)),
                    .init("runningVoltage", .number(min(plant.running, 0.9), decimals: 3)),
                    .init("loopGain", .number(plant.loopGain, decimals: 2)),
                ]
            }
        }
        if let band = profile.band {
            let points = band.response.map {
                JSONValue(
                    .array([
                        .number($0.frequency, decimals: 2), .number($0.gain, decimals: 4),
                    ]))
            }
            members += [
                .init("lowHertz", .number(band.range.lowerBound, decimals: 1)),
                .init("highHertz", .number(band.range.upperBound, decimals: 1)),
                .init("law", text(band.law.rawValue)),
                .init("response", JSONValue(.array(points))),
            ]
        }
        members.append(.init("origin", originJSON))
        return JSONValue(.object(JSONObject(members)))
    }

    /// The origin, including the fitted values that are not members of a profile.
    private var originJSON: JSONValue {
        var members = origin.map { JSONObject.Member($0.name, text($0.text)) }
        for (name, value, decimals) in values {
            members.append(.init(name, .number(value.value, decimals: decimals)))
            members.append(
                .init("\(name)Uncertainty", .number(value.uncertainty, decimals: decimals)))
        }
        if !accelerations.isEmpty {
            // Each point: the frequency in hertz, the acceleration in g and its uncertainty in g.
            let points = accelerations.map { point -> JSONValue in
                let acceleration = point.acceleration
                return JSONValue(
                    .array([
                        .number(point.frequency, decimals: 2),
                        .number(acceleration.value, decimals: 4),
                        .number(acceleration.uncertainty, decimals: 4),
                    ]))
            }
            members.append(.init("accelerations", JSONValue(.array(points))))
        }
        members.append(.init("unexplained", .number(unexplained, decimals: 4)))
        return JSONValue(.object(JSONObject(members)))
    }
}

extension FittedActuator {
    /// The values, each with its name in files and results, and its number of decimals.
    public var named: [(name: String, value: Value, decimals: Int)] {
        let values: [(String, Value?, Int)] = [
            ("frequencyHertz", frequency, 2), ("timeConstantMilliseconds", timeConstant, 3),
            ("accelerationG", acceleration, 3), ("delayMilliseconds", delay, 2),
            ("startVoltage", start, 3), ("runningVoltage", running, 3), ("loopGain", loopGain, 2),
        ]
        return values.compactMap { name, value, decimals in value.map { (name, $0, decimals) } }
    }
}

private func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }

extension JSONValue {
    /// Creates a number with at most the given number of decimals.
    package static func number(_ value: Double, decimals: Int) -> JSONValue {
        JSONValue(.number(text: value.text(decimals: decimals)))
    }
}
