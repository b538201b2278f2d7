// Fix: a change of a file's text that resolves a diagnostic.

/// A change of the text at the location of a diagnostic.
enum Fix: Sendable, Hashable {
    /// Removes bytes that have no meaning.
    case removeBytes(Range<Int>)
    /// Replaces the scalar value at the location with another value.
    case replace(String)
    /// Removes the key at the location and its value.
    case removeMember
    /// Removes the innermost object that contains the location. If the object's container contains
    /// nothing else, removes the container as well.
    case removeOwner
    /// Adds a member to the object at the location.
    case addMember(AHAPKey, String)
    /// Splits the object at the location into several objects, one for each member.
    case splitEntry
    /// Sorts the elements of the array that contains the location by `Time`.
    case sortPoints
    /// Makes the times of the control points of every curve relative to the `Time` of the curve.
    case relativeTimes
}
