// NamedActuator: actuators that one can buy, with the figures of their data sheets.

import AHAP
import BridgeLink

/// An actuator by its maker's name. The data is in `actuators.json`; sources: the makers' data sheets.
public struct NamedActuator: Hashable, Sendable {
    public var name: String
    public var description: String
    /// `.lra` or `.erm`.
    public var kind: ActuatorKind
    /// Hertz; 0 for an ERM.
    public var resonance: Double
    /// Volts; rms for an LRA, average for an ERM.
    public var rated: Double
    /// Volts, peak.
    public var overdrive: Double

    /// All that are known, in the order of the data.
    public static let all: [NamedActuator] = {
        do {
            return try read(PackageResources.actuators_json)
        } catch {
            preconditionFailure("actuators.json: \(error)")
        }
    }()

    /// The one of this name, whatever its case.
    public static func named(_ name: String) -> NamedActuator? {
        all.first { $0.name.lowercased() == name.lowercased() }
    }

    /// What is not as it should be in the data.
    struct DataError: Error {
        var place: SourcePlace?
    }

    static func read(_ bytes: [UInt8]) throws -> [NamedActuator] {
        let root = try JSONReader.read(bytes, mode: .strict).value
        guard case .array(let entries) = root.kind else { throw DataError(place: root.place) }
        return try entries.map(NamedActuator.init)
    }

    private init(_ value: JSONValue) throws {
        guard case .object(let object) = value.kind else { throw DataError(place: value.place) }
        func member(_ key: String) -> JSONValue? {
            object.members.first { $0.key == key }?.value
        }
        func text(_ key: String) throws -> String {
            guard case .string(let text)? = member(key)?.kind else {
                throw DataError(place: value.place)
            }
            return text
        }
        func number(_ key: String) throws -> Double {
            guard case .number(let text)? = member(key)?.kind, let number = Double(text) else {
                throw DataError(place: value.place)
            }
            return number
        }
        name = try text("name")
        description = try text("description")
        kind = try text("kind") == "lra" ? .lra : .erm
        resonance = kind == .lra ? try number("resonance") : 0
        rated = try number("rated")
        overdrive = try number("overdrive")
    }
}
