// JSONValue+Page: the values that the page receives as JSON.

import JSONText

extension JSONValue {
    static func text(_ text: String?) -> JSONValue {
        JSONValue(text.map { Kind.string($0) } ?? .null)
    }

    static func integer(_ number: (some BinaryInteger)?) -> JSONValue {
        JSONValue(number.map { Kind.number(text: "\(Int64($0))") } ?? .null)
    }

    static func flag(_ isTrue: Bool) -> JSONValue { JSONValue(.bool(isTrue)) }

    static func list(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }

    static func texts(_ texts: [String]) -> JSONValue { list(texts.map { text($0) }) }

    static func members(_ members: (String, JSONValue)...) -> JSONValue {
        JSONValue(.object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) })))
    }

    /// Returns a message of the given type for the page.
    static func report(_ type: String, _ members: (String, JSONValue)...) -> JSONValue {
        let all = [JSONObject.Member("type", text(type))]
        return JSONValue(
            .object(JSONObject(all + members.map { JSONObject.Member($0.0, $0.1) })))
    }

    /// Stores the text of the value for the page, and returns the number of its bytes.
    func give() -> Int32 {
        Array(JSONWriter.text(of: self, layout: .compact).utf8).give()
    }
}
