// ButtplugFields: reads the members of a message and checks their types.

import JSONText

/// The members of a message or of a part of a message.
struct ButtplugFields {
    /// The name of the message, for error messages.
    let name: String
    let object: JSONObject

    func has(_ key: String) -> Bool { object[key] != nil }

    /// Returns a whole number from 0 to 4,294,967,295, the range of all numbers in the
    /// specification.
    func whole(_ key: String) throws(ButtplugRefusal) -> Int {
        guard let number = object[key]?.number, let whole = UInt32(exactly: number) else {
            throw wrong(key, "a whole number from 0 to 4294967295")
        }
        return Int(whole)
    }

    func number(_ key: String) throws(ButtplugRefusal) -> Double {
        guard let number = object[key]?.number else { throw wrong(key, "a number") }
        return number
    }

    func text(_ key: String) throws(ButtplugRefusal) -> String {
        guard let text = object[key]?.string else { throw wrong(key, "a string") }
        return text
    }

    /// Returns the value of a flag; true if the flag is missing.
    func flag(_ key: String) throws(ButtplugRefusal) -> Bool {
        guard let value = object[key] else { return true }
        guard case .bool(let flag) = value.kind else { throw wrong(key, "true or false") }
        return flag
    }

    func fields(_ key: String) throws(ButtplugRefusal) -> ButtplugFields {
        guard case .object(let object) = object[key]?.kind else { throw wrong(key, "an object") }
        return ButtplugFields(name: name, object: object)
    }

    /// Returns the elements of a list of objects. The list must not be empty.
    func list(_ key: String) throws(ButtplugRefusal) -> [ButtplugFields] {
        guard let elements = object[key]?.elements, !elements.isEmpty else {
            throw wrong(key, "a list of at least one object")
        }
        return try elements.map { element throws(ButtplugRefusal) in
            guard case .object(let object) = element.kind else {
                throw wrong(key, "a list of objects")
            }
            return ButtplugFields(name: name, object: object)
        }
    }

    private func wrong(_ key: String, _ expected: String) -> ButtplugRefusal {
        ButtplugRefusal(.message, "\(name): \(key) must be \(expected)")
    }
}
