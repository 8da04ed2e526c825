// What a Relay client of the league declares; relay-compiler reads only the documents.
import { graphql } from "relay-runtime";

graphql`
  fragment appBoard on Board
  @argumentDefinitions(count: { type: "Int", defaultValue: 20 }, cursor: { type: "String" })
  @refetchable(queryName: "appBoardPageQuery") {
    kind
    month
    places(first: $count, after: $cursor) @connection(key: "appBoard_places") {
      edges {
        node {
          rank
          shown
          player {
            ...appPlayer
          }
        }
      }
    }
  }
`;

graphql`
  fragment appPlayer on Player @refetchable(queryName: "appPlayerAgainQuery") {
    displayName
    rating(mode: OVERALL) {
      shown
    }
  }
`;

graphql`
  fragment appMatch on Match @refetchable(queryName: "appMatchAgainQuery") {
    status
    score
    hands {
      ...appHand
    }
  }
`;

graphql`
  fragment appHand on Hand @refetchable(queryName: "appHandAgainQuery") {
    number
    points
    terms {
      rule
      points
    }
  }
`;

graphql`
  query appQuery($match: ID!, $position: BigInt) @readFrom(afterPosition: $position) {
    board(kind: ONE_ON_ONE) {
      ...appBoard @arguments(count: 50)
    }
    match(id: $match) {
      ...appMatch
    }
  }
`;

graphql`
  mutation appRecordHandMutation($input: RecordHandInput!) {
    recordHand(input: $input) {
      __typename
      ... on MatchSuccess {
        position
        match {
          ...appMatch
        }
      }
      ... on UserError {
        code
        message
        field
      }
    }
  }
`;

graphql`
  subscription appBoardChangedSubscription {
    boardChanged(kind: ONE_ON_ONE) {
      ...appBoard
    }
  }
`;
